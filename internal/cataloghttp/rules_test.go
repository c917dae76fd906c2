package cataloghttp_test

import (
	"strings"
	"testing"

	"waxwing/api/catalogapi"
	"waxwing/client"
)

// pointer returns a pointer to v.
func pointer[T any](v T) *T { return &v }

func TestSmartPlaylistsThroughTheClient(t *testing.T) {
	onBoth(t, 5, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		ann := &client.Catalog{BaseURL: h.url, Key: h.keys["both"], HTTP: h.http}
		bob := &client.Catalog{BaseURL: h.url, Key: h.keys["bob"], HTTP: h.http}
		liked := catalogapi.Rules{Match: "all", Rules: []catalogapi.Rule{
			{Field: pointer("liked"), Op: pointer("is"), Value: true}}}
		p, err := ann.CreatePlaylist(ctx, catalogapi.NewPlaylist{Name: "Liked", Public: pointer(true), Rules: &liked})
		if err != nil || p.SongCount != 0 || p.Rules != nil {
			t.Fatalf("got %+v, %v; want a playlist without songs and rules", p, err)
		}
		before := h.do(t, "bob", "GET", "/api/playlists/"+p.ID+"/songs", "").is(t, 200, nil).header.Get("ETag")
		if err := bob.Like(ctx, h.ids[0]); err != nil {
			t.Fatal(err)
		}
		if err := ann.Like(ctx, h.ids[3]); err != nil {
			t.Fatal(err)
		}
		list, err := bob.PlaylistSongs(ctx, p.ID, 1, 10)
		if err != nil || list.Total != 1 || list.Songs[0].ID != h.ids[3] {
			t.Errorf("songs for another user: got %+v, %v; want the song that the owner likes", list, err)
		}
		after := h.do(t, "bob", "GET", "/api/playlists/"+p.ID+"/songs", "").is(t, 200, nil).header.Get("ETag")
		if before == after {
			t.Errorf("ETag after a like of the owner: got %s again, want another", after)
		}
		if _, err := ann.AddSongs(ctx, p.ID, h.ids, nil); client.StatusOf(err) != 409 {
			t.Errorf("add songs: got %v, want 409", err)
		}
		liked.Rules[0].Value = false
		p, err = ann.ChangePlaylist(ctx, p.ID, catalogapi.PlaylistChange{Rules: &liked})
		if err != nil || p.SongCount != 4 {
			t.Errorf("changed rules: got %+v, %v; want 4 songs", p, err)
		}
		got, err := bob.PlaylistRules(ctx, p.ID)
		if err != nil || got == nil || got.Rules[0].Value != false {
			t.Errorf("rules: got %+v, %v; want those that were set", got, err)
		}
		if _, err := bob.ChangePlaylist(ctx, p.ID, catalogapi.PlaylistChange{Rules: &liked}); client.StatusOf(err) != 403 {
			t.Errorf("another user changes the rules: got %v, want 403", err)
		}
	})
}

func TestBadRulesAreRejectedWithWhatIsAllowed(t *testing.T) {
	h := start(t, 1)
	deep := `{"field": "year", "op": "is", "value": 1}`
	for range 5 {
		deep = `{"match": "all", "rules": [` + deep + `]}`
	}
	year := `{"field": "year", "op": "is", "value": 1}`
	rule := func(field, op, value string) string {
		return `{"field": "` + field + `", "op": "` + op + `", "value": ` + value + `}`
	}
	const text = `value of title is must be a text of 1 to 200 characters`
	for rule, want := range map[string]string{
		rule("mood", "is", `"x"`):                             `field \"mood\" is unknown; use one of: title, artist`,
		rule("year", "like", `1`):                             `op of year \"like\" is unknown; use one of: is, is_not, lt`,
		rule("year", "is", `"x"`):                             `value of year is must be a whole number from 0`,
		rule("year", "is", `1.5`):                             `value of year is must be a whole number from 0`,
		rule("year", "in", `[]`):                              `value of year in must be a list of 1 to 100 values`,
		rule("title", "is", `7`):                              text,
		rule("title", "is", `""`):                             text,
		rule("liked", "is", `1`):                              `value of liked is must be true or false`,
		`{"field": "liked", "op": "is"}`:                      `value of liked is must be true or false`,
		rule("added", "in_last", `0`):                         `must be a number of days from 1 to 36500`,
		rule("added", "before", `"tomorrow"`):                 `must be a date (2026-01-31)`,
		rule("title", "is", `"`+strings.Repeat("x", 201)+`"`): text,
		`{"match": "none", "rules": [` + year + `]}`:          `match \"none\" is unknown; use one of: all, any`,
		`{"match": "all", "rules": []}`:                       `rules must have at least one rule`,
		deep:                                                  `groups of rules must be at most 5 deep`,
		strings.Repeat(year+",", 100) + year:                  `there must be at most 100 rules`,
	} {
		body := `{"name": "x", "rules": {"match": "all", "rules": [` + rule + `]}}`
		got := h.do(t, "both", "POST", "/api/playlists", body).is(t, 400, nil)
		if !strings.Contains(got.body, want) {
			t.Errorf("%.80s: got %s, want %s", rule, got.body, want)
		}
	}
	body := `{"name": "x", "rules": {"match": "all", "sort": "mood", "rules": [` + year + `]}}`
	if got := h.do(t, "both", "POST", "/api/playlists", body).is(t, 400, nil); !strings.Contains(got.body, "random") {
		t.Errorf("unknown sort: got %s, want the allowed ones", got.body)
	}
}

func TestSimilarSongsAreNotTheSongItself(t *testing.T) {
	onBoth(t, 5, func(t *testing.T, h *fixture) {
		c := &client.Catalog{BaseURL: h.url, Key: h.keys["read"], HTTP: h.http}
		songs, err := c.Similar(t.Context(), h.ids[1], 3)
		if err != nil || len(songs) != 3 {
			t.Fatalf("got %d songs, %v; want 3", len(songs), err)
		}
		for _, song := range songs {
			if song.ID == h.ids[1] {
				t.Error("the song itself is in the list of similar songs")
			}
		}
		if _, err := c.Similar(t.Context(), "so_0000000000000000000000", 3); client.StatusOf(err) != 404 {
			t.Errorf("unknown song: got %v, want 404", err)
		}
		h.get(t, "/api/songs/"+h.ids[1]+"/similar?limit=101").is(t, 400, nil)
	})
}
