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
			t.Errorf("username of %q: got %q, want %q", name, got, want)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.String().Draw(r, "name")
		if got := catalog.UsernameFrom(name, "artist"); !username.MatchString(got) {
			r.Fatalf("username of %q: got %q, want it to match %s", name, got, username)
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
		for i := range 2 { // in two batches: the second finds usernames that exist
			ingest(t, s, tags[i*20:(i+1)*20]...)
		}
		for i := range 40 {
			want := fmt.Sprintf("artist-%d", i+2) // artist itself is reserved
			if _, err := s.Artist(t.Context(), want); err != nil {
				t.Errorf("artist %s: got %v, want no error", want, err)
			}
		}
		if _, err := s.Artist(t.Context(), "ARTIST-41"); err != nil {
			t.Error(err)
		}
	})
}

func TestUsersAreCreatedSelectedAndChanged(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		ctx := t.Context()
		if _, err := s.ActiveUser(ctx); kind(err) != fault.NotFound {
			t.Errorf("active user of an empty catalog: got %v, want NotFound", err)
		}
		_, err := s.CreateKey(ctx, catalog.NewKey{Name: "x", Hash: fmt.Sprintf("%064d", 1), Permissions: []string{"read"}})
		if kind(err) != fault.NotFound {
			t.Errorf("key without a user: got %v, want NotFound", err)
		}
		first, err := s.EnsureUser(ctx, "Jörg Müller")
		if err != nil || first.Username != "jorg-muller" || first.Name != "Jörg Müller" || first.Cover == "" {
			t.Fatalf("first user: got %+v, error %v; want jorg-muller with a picture", first, err)
		}
		if again, err := s.EnsureUser(ctx, "Somebody Else"); err != nil || again.ID != first.ID {
			t.Errorf("second EnsureUser: got %+v, error %v; want the first user", again, err)
		}
		if twin, err := s.CreateUser(ctx, catalog.NewUser{Name: "jorg muller"}); err != nil ||
			twin.Username != "jorg-muller-2" {
			t.Errorf("user with a similar name: got %+v, error %v; want jorg-muller-2", twin, err)
		}
		for _, bad := range []string{"admin", "Me", "a_b", "-a", "a.", "é", "1234567890123456789012345678901"} {
			if _, err := s.CreateUser(ctx, catalog.NewUser{Name: "X", Username: bad}); kind(err) != fault.Invalid {
				t.Errorf("username %q: got %v, want an Invalid fault", bad, err)
			}
		}
		if _, err := s.CreateUser(ctx, catalog.NewUser{Name: "X", Username: "JORG-muller"}); kind(err) != fault.Conflict {
			t.Errorf("existing username: got %v, want a conflict", err)
		}
		key, err := s.CreateKey(ctx, catalog.NewKey{Name: "player", Hash: fmt.Sprintf("%064d", 2),
			Permissions: []string{"read", "write"}})
		if err != nil || key.Owner.ID != first.ID {
			t.Fatalf("key: got %+v, error %v; want the owner %s", key, err, first.ID)
		}
		if _, err := s.UseUser(ctx, "jorg-muller-2"); err != nil {
			t.Fatal(err)
		}
		if key, err = s.KeyByHash(ctx, fmt.Sprintf("%064d", 2)); err != nil || key.Owner.Username != "jorg-muller-2" {
			t.Errorf("key of the active user: got %+v, error %v; want the owner jorg-muller-2", key, err)
		}
		name, bio := "Jo", "plays the organ"
		if u, err := s.ChangeUser(ctx, "jorg-muller", catalog.UserChange{Name: &name, Bio: &bio}); err != nil ||
			u.Name != name || u.Bio != bio || u.Username != "jorg-muller" {
			t.Errorf("changed user: got %+v, error %v; want the new name and bio", u, err)
		}
		if all, err := s.Users(ctx); err != nil || len(all) != 2 {
			t.Errorf("users: got %d, error %v; want 2", len(all), err)
		}
		if keys, err := s.Keys(ctx); err != nil || len(keys) != 1 || keys[0].Name != "player" {
			t.Errorf("keys: got %+v, error %v; want player", keys, err)
		}
	})
}
