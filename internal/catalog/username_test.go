package catalog_test

import (
	"fmt"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

var username = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9.-]{0,28}[a-z0-9])?$`)

func TestUsernameFromName(t *testing.T) {
	for name, want := range map[string]string{
		"The Beatles": "the-beatles", "AC/DC": "ac-dc", "Björk": "bjork", "Sigur Rós": "sigur-ros",
		"Motörhead": "motorhead", "P!nk": "pnk", "Ke$ha": "kesha",
		"Simon & Garfunkel": "simon-and-garfunkel", "Guns N' Roses": "guns-n-roses", "Кино": "kino", "Βαγγέλης": "vaggelis",
		"きゃりーぱみゅぱみゅ": "kyaripamyupamyu",
		"サカナクション":    "sakanakushon", "방탄소년단": "bangtansonyeondan", "坂本龍一": "artist", "!!!": "artist", "": "artist",
		"Ænima Straße": "aenima-strasse",
		"A Very Long Name That Goes On And On For Ever": "a-very-long-name-that-goes-on",
		"...And You Will Know Us":                       "and-you-will-know-us", "T.N.T.": "tnt",
	} {
		if got := catalog.UsernameFrom(name, "artist"); got != want {
			t.Errorf("%q becomes %q, not %q", name, got, want)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.String().Draw(r, "name")
		if got := catalog.UsernameFrom(name, "artist"); !username.MatchString(got) {
			r.Fatalf("%q becomes %q", name, got)
		}
	})
}

func TestDuplicateUsernamesAreNumbered(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		var tags []catalog.ScannedSong
		for i := range 40 {
			tag := song(i + 1)
			tag.Album = nil
			tag.Credits[0].Artist = catalog.ArtistTag{Name: fmt.Sprintf("山%c", '一'+rune(i))}
			tags = append(tags, tag)
		}
		for i := range 2 { // in two batches: the second looks at what is there
			ingest(t, s, tags[i*20:(i+1)*20]...)
		}
		for i := range 40 {
			want := fmt.Sprintf("artist-%d", i+2) // artist itself is reserved
			if _, err := s.Artist(t.Context(), want); err != nil {
				t.Errorf("%s: %v", want, err)
			}
		}
		if _, err := s.Artist(t.Context(), "ARTIST-41"); err != nil {
			t.Error(err)
		}
	})
}

func TestUsers(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		if _, err := s.ActiveUser(ctx); kind(err) != fault.NotFound {
			t.Errorf("before the first: %v", err)
		}
		if _, err := s.CreateKey(ctx, catalog.NewKey{Name: "x", Hash: fmt.Sprintf("%064d", 1),
			Permissions: []string{"read"}}); kind(err) != fault.NotFound {
			t.Errorf("a key without a user: %v", err)
		}
		first, err := s.EnsureUser(ctx, "Jörg Müller")
		if err != nil || first.Username != "jorg-muller" || first.Name != "Jörg Müller" || first.Cover == "" {
			t.Fatalf("%+v, %v", first, err)
		}
		if again, err := s.EnsureUser(ctx, "Somebody Else"); err != nil || again.ID != first.ID {
			t.Errorf("the second time it is %+v, %v", again, err)
		}
		if twin, err := s.CreateUser(ctx, catalog.NewUser{Name: "jorg muller"}); err != nil ||
			twin.Username != "jorg-muller-2" {
			t.Errorf("the twin is %+v, %v", twin, err)
		}
		for _, bad := range []string{"admin", "Me", "a_b", "-a", "a.", "é", "1234567890123456789012345678901"} {
			if _, err := s.CreateUser(ctx, catalog.NewUser{Name: "X", Username: bad}); kind(err) != fault.Invalid {
				t.Errorf("%q: %v", bad, err)
			}
		}
		if _, err := s.CreateUser(ctx, catalog.NewUser{Name: "X", Username: "JORG-muller"}); kind(err) != fault.Conflict {
			t.Errorf("taken: %v", err)
		}
		key, err := s.CreateKey(ctx, catalog.NewKey{Name: "player", Hash: fmt.Sprintf("%064d", 2),
			Permissions: []string{"read", "write"}})
		if err != nil || key.Owner.ID != first.ID {
			t.Fatalf("%+v, %v", key, err)
		}
		if _, err := s.UseUser(ctx, "jorg-muller-2"); err != nil {
			t.Fatal(err)
		}
		if key, err = s.KeyByHash(ctx, fmt.Sprintf("%064d", 2)); err != nil || key.Owner.Username != "jorg-muller-2" {
			t.Errorf("a key of the active user is %+v, %v", key, err)
		}
		name, bio := "Jo", "plays the organ"
		if u, err := s.ChangeUser(ctx, "jorg-muller", catalog.UserChange{Name: &name, Bio: &bio}); err != nil ||
			u.Name != name || u.Bio != bio || u.Username != "jorg-muller" {
			t.Errorf("changed it is %+v, %v", u, err)
		}
		if all, err := s.Users(ctx); err != nil || len(all) != 2 {
			t.Errorf("%d users, %v", len(all), err)
		}
		if keys, err := s.Keys(ctx); err != nil || len(keys) != 1 || keys[0].Name != "player" {
			t.Errorf("keys are %+v, %v", keys, err)
		}
	})
}
