package cataloghttp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/internal/catalog"
)

func TestListsOfLikedSongsAndOwnAlbums(t *testing.T) {
	onBoth(t, 8, func(t *testing.T, h *fixture) {
		titles := func(key, query string) string {
			var list struct {
				Songs  []catalogapi.Song
				Albums []catalogapi.Album
				Total  int
			}
			h.do(t, key, "GET", "/api/"+query, "").is(t, 200, &list)
			var names []string
			for _, s := range list.Songs {
				names = append(names, strings.Fields(s.Title)[1])
			}
			for _, a := range list.Albums {
				names = append(names, strings.TrimPrefix(a.Title, "Album "))
			}
			if list.Total != len(names) {
				t.Errorf("%s: got total %d of %d rows", query, list.Total, len(names))
			}
			return strings.Join(names, " ")
		}
		songs := map[string]string{} // ids by title
		for _, id := range h.ids {
			var one catalogapi.SongReply
			h.get(t, "/api/songs/"+id).is(t, 200, &one)
			songs[strings.Fields(one.Song.Title)[1]] = id
			if one.Song.Title[:8] == "Song <6>" {
				h.do(t, "write", "PUT", "/api/me/ratings/"+*one.Song.AlbumID, `{"rating":2}`).is(t, 200, nil)
				h.do(t, "write", "PUT", "/api/me/likes/"+*one.Song.AlbumID, "").is(t, 200, nil)
			}
		}
		for _, title := range []string{"<7>", "<2>", "<5>"} {
			h.do(t, "write", "PUT", "/api/me/likes/"+songs[title], "").is(t, 200, nil)
		}
		ann, err := h.store.User(t.Context(), "ann")
		if err != nil {
			t.Fatal(err)
		}
		for i, title := range []string{"<1>", "<1>", "<3>"} { // albums 1, 1 and 3
			_, err := h.store.RecordPlay(t.Context(), catalog.Play{
				SongID: songs[title], Listener: ann.Viewer(), PlayedAt: time.Now().Add(time.Duration(i-9) * time.Hour),
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for query, want := range map[string]string{
			"songs?liked=true&sort=title":                    "<2> <5> <7>",
			"songs?liked=true&sort=title&order=desc&with=me": "<7> <5> <2>",
			"songs?liked=true&year=1997":                     "<7>",
			"albums?liked=true":                              "2",
			"albums?sort=frequent":                           "1 3",
			"albums?sort=recent&with=me":                     "3 1",
			"albums?sort=recent&order=asc":                   "1 3",
			"albums?sort=rating":                             "2",
			"albums?sort=rating&liked=true":                  "2",
			"albums?sort=frequent&liked=true":                "",
			"albums?sort=recent&year=1900-2100":              "3 1",
			"albums?sort=recent&year=1900":                   "",
		} {
			if got := titles("read", query); got != want {
				t.Errorf("%s of Ann: got %q, want %q", query, got, want)
			}
			if got := titles("bob", query); got != "" {
				t.Errorf("%s of Bob: got %q, want nothing", query, got)
			}
		}
		h.do(t, "write", "DELETE", "/api/me/likes/"+songs["<5>"], "").is(t, 200, nil)
		if got := len(strings.Fields(titles("read", "songs?liked=true"))); got != 2 {
			t.Errorf("liked songs after one was removed: got %d, want 2", got)
		}
		h.get(t, "/api/songs?liked=yes").is(t, 400, nil)
		var list catalogapi.SongList
		h.get(t, "/api/songs?sort=added&order=asc&with=me").is(t, 200, &list)
		liked := 0
		for _, s := range list.Songs {
			if s.Me.Liked {
				liked++
			}
		}
		if liked != 2 {
			t.Errorf("liked songs in the order of their addition: got %d, want 2", liked)
		}
	})
}

func TestListsOfLikedArtistsAndPlaylists(t *testing.T) {
	onBoth(t, 8, func(t *testing.T, h *fixture) {
		var all catalogapi.ArtistList
		h.get(t, "/api/artists").is(t, 200, &all)
		for _, a := range all.Artists {
			if a.Name != "Artist 1" {
				h.do(t, "write", "PUT", "/api/me/likes/"+a.ID, "").is(t, 200, nil)
			}
		}
		var mix, zed catalogapi.PlaylistReply
		h.do(t, "bob", "POST", "/api/playlists", `{"name":"Mix","public":true}`).is(t, 200, &mix)
		h.do(t, "write", "POST", "/api/playlists", `{"name":"Zed"}`).is(t, 200, &zed)
		h.do(t, "write", "POST", "/api/playlists", `{"name":"Not liked","public":true}`).is(t, 200, nil)
		for _, id := range []string{zed.Playlist.ID, mix.Playlist.ID} {
			h.do(t, "write", "PUT", "/api/me/likes/"+id, "").is(t, 200, nil)
		}
		names := func(key, query string) string {
			t.Helper()
			var list struct {
				Artists, Playlists []struct{ Name string }
				Total              int
			}
			h.do(t, key, "GET", "/api/"+query, "").is(t, 200, &list)
			var names []string
			for _, row := range append(list.Artists, list.Playlists...) {
				names = append(names, row.Name)
			}
			return fmt.Sprint(strings.Join(names, ", "), " of ", list.Total)
		}
		for query, want := range map[string]string{
			"artists?liked=true":                          "Artist 0, Artist 2, Guest of 3",
			"artists?liked=true&with=me&page=2&limit=2":   "Guest of 3",
			"artists?liked=true&role=albumartist":         "Artist 0 of 1",
			"playlists?liked=true":                        "Mix, Zed of 2",
			"playlists?liked=true&page=2&limit=1&with=me": "Zed of 2",
		} {
			if got := names("read", query); got != want {
				t.Errorf("%s of Ann: got %q, want %q", query, got, want)
			}
			if got := names("bob", query); got != " of 0" {
				t.Errorf("%s of Bob: got %q, want nothing", query, got)
			}
		}
		h.do(t, "bob", "PATCH", "/api/playlists/"+mix.Playlist.ID, `{"public":false}`).is(t, 200, nil)
		h.do(t, "write", "DELETE", "/api/me/likes/"+all.Artists[0].ID, "").is(t, 200, nil)
		if got, want := names("read", "playlists?liked=true"), "Zed of 1"; got != want {
			t.Errorf("liked playlists after one became private: got %q, want %q", got, want)
		}
		if got, want := names("read", "artists?liked=true"), "Artist 2, Guest of 2"; got != want {
			t.Errorf("liked artists after a like was removed: got %q, want %q", got, want)
		}
		for _, list := range []string{"songs", "albums", "artists", "playlists"} {
			got := h.get(t, "/api/"+list+"?liked=no")
			if got.status != 400 || !strings.Contains(got.body, "liked must be given once and be one of: true") {
				t.Errorf("/api/%s?liked=no: got %d %s, want a 400 with the values", list, got.status, got.body)
			}
		}
	})
}
