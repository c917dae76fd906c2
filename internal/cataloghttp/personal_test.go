package cataloghttp_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/client"
)

// me returns what the user of a key did with an object.
func (h *fixture) me(t *testing.T, key, path string) catalogapi.Me {
	t.Helper()
	var body map[string]struct{ Me *catalogapi.Me }
	h.do(t, key, "GET", path+"?with=me", "").is(t, 200, &body)
	for _, object := range body {
		if object.Me != nil {
			return *object.Me
		}
	}
	t.Fatalf("%s: got no object me", path)
	return catalogapi.Me{}
}

func TestPersonalDataBelongsToTheUserOfTheKey(t *testing.T) {
	onBoth(t, 3, func(t *testing.T, h *fixture) {
		var song catalogapi.SongReply
		h.get(t, "/api/songs/"+h.ids[0]).is(t, 200, &song)
		var list catalogapi.PlaylistReply
		h.do(t, "write", "POST", "/api/playlists", `{"name":"Mix","public":true}`).is(t, 200, &list)
		objects := map[string]string{
			song.Song.ID: "/api/songs/", *song.Song.AlbumID: "/api/albums/", *song.Song.ArtistID: "/api/artists/",
			list.Playlist.ID: "/api/playlists/",
		}
		for id, path := range objects {
			for range 2 { // the second changes nothing
				h.do(t, "write", "PUT", "/api/me/likes/"+id, "").is(t, 200, nil)
			}
			h.do(t, "write", "PUT", "/api/me/ratings/"+id, `{"rating":4}`).is(t, 200, nil)
			if got := h.me(t, "read", path+id); !got.Liked || got.Rating != 4 {
				t.Errorf("%s of Ann: got %+v, want liked, rating 4", id, got)
			}
			if got := h.me(t, "bob", path+id); got != (catalogapi.Me{}) {
				t.Errorf("%s of Bob: got %+v, want nothing", id, got)
			}
			h.do(t, "bob", "DELETE", "/api/me/likes/"+id, "").is(t, 200, nil)
			h.do(t, "bob", "PUT", "/api/me/ratings/"+id, `{"rating":0}`).is(t, 200, nil)
			if got := h.me(t, "both", path+id); !got.Liked || got.Rating != 4 {
				t.Errorf("%s of Ann after changes of Bob: got %+v, want liked, rating 4", id, got)
			}
		}
		for _, kind := range []string{"song", "album", "artist", "playlist"} {
			var ann, bob catalogapi.LikeList
			h.get(t, "/api/me/likes?type="+kind+"&with=me").is(t, 200, &ann)
			h.do(t, "bob", "GET", "/api/me/likes?type="+kind, "").is(t, 200, &bob)
			if ann.Total != 1 || len(ann.Likes) != 1 || bob.Total != 0 || len(bob.Likes) != 0 {
				t.Errorf("likes of type %s: got %+v of Ann and %+v of Bob, want 1 and 0", kind, ann, bob)
			}
		}
		for _, key := range []string{"read", "bob"} {
			var user catalogapi.UserReply
			h.do(t, key, "GET", "/api/me", "").is(t, 200, &user)
			if want := map[string]string{"read": "ann", "bob": "bob"}[key]; user.User.Username != want {
				t.Errorf("user of the key %s: got %s, want %s", key, user.User.Username, want)
			}
		}
		for id := range objects {
			h.do(t, "write", "DELETE", "/api/me/likes/"+id, "").is(t, 200, nil)
		}
		var none catalogapi.LikeList
		if h.get(t, "/api/me/likes").is(t, 200, &none); none.Total != 0 {
			t.Errorf("likes after all were removed: got %+v, want none", none)
		}
	})
}

func TestPersonalRequestsThatFail(t *testing.T) {
	h := start(t, 1)
	var private catalogapi.PlaylistReply
	h.do(t, "bob", "POST", "/api/playlists", `{"name":"Secret"}`).is(t, 200, &private)
	id, secret := h.ids[0], private.Playlist.ID
	for _, c := range []struct {
		key, method, path, body string
		status                  int
		message                 string
	}{
		{"read", "PUT", "/api/me/likes/" + id, "", 403, "write"},
		{"read", "DELETE", "/api/me/likes/" + id, "", 403, "write"},
		{"read", "PUT", "/api/me/ratings/" + id, `{"rating":1}`, 403, "write"},
		{"read", "DELETE", "/api/me/history?all=true", "", 403, "write"},
		{"write", "GET", "/api/me", "", 403, "read"},
		{"write", "GET", "/api/me/likes", "", 403, "read"},
		{"write", "GET", "/api/me/history", "", 403, "read"},
		{"write", "GET", "/api/me/top", "", 403, "read"},
		{"both", "PUT", "/api/me/likes/" + secret, "", 404, "no playlist"},
		{"both", "PUT", "/api/me/likes/so_0000000000000000000000", "", 404, "no song"},
		{"both", "DELETE", "/api/me/likes/nothing", "", 404, "no song, album, artist or playlist"},
		{"both", "PUT", "/api/me/ratings/" + secret, `{"rating":1}`, 404, "no playlist"},
		{"both", "PUT", "/api/me/ratings/" + id, `{"rating":6}`, 400, "from 0 to 5"},
		{"both", "PUT", "/api/me/ratings/" + id, `{"rating":-1}`, 400, "from 0 to 5"},
		{"both", "PUT", "/api/me/ratings/" + id, `{"rating":1.5}`, 400, "from 0 to 5"},
		{"both", "PUT", "/api/me/ratings/" + id, `{}`, 400, "from 0 to 5"},
		{"both", "DELETE", "/api/me/history", "", 400, "all must be true"},
		{"both", "DELETE", "/api/me/history?all=false", "", 400, "all must be true"},
		{"both", "DELETE", "/api/me/history/py_0000000000000000000001", "", 404, "no play"},
		{"both", "GET", "/api/me/likes?type=genre", "", 400, "song, album, artist, playlist"},
		{"both", "GET", "/api/me/top?type=playlist", "", 400, "song, album, artist"},
		{"both", "GET", "/api/me/top?range=2d", "", 400, "all, 7d, 30d, 1y"},
		{"both", "GET", "/api/songs?with=everything", "", 400, "me"},
		{"both", "GET", "/api/songs?with=me&with=me", "", 400, "once"},
	} {
		got := h.do(t, c.key, c.method, c.path, c.body)
		if got.status != c.status || !strings.Contains(got.body, c.message) {
			t.Errorf("%s %s with key %s: got %d %s, want %d and %q", c.method, c.path, c.key, got.status, got.body, c.status,
				c.message)
		}
	}
}

// TestPersonalChangesKeepSharedResponsesCurrent checks the ETags: a like changes those of its
// user's own responses and no other.
func TestPersonalChangesKeepSharedResponsesCurrent(t *testing.T) {
	onBoth(t, 2, func(t *testing.T, h *fixture) {
		type request struct{ key, path string }
		shared := []request{{"read", "/api/songs"}, {"bob", "/api/songs"}, {"bob", "/api/songs?with=me"},
			{"bob", "/api/me/likes"}, {"read", "/api/songs/" + h.ids[0]}}
		own := []request{{"read", "/api/songs?with=me"}, {"read", "/api/me/likes"}, {"read", "/api/me/top?range=7d"},
			{"read", "/api/songs/" + h.ids[0] + "?with=me,gain"}, {"read", "/api/songs/trending?with=me"}}
		tags := map[request]string{}
		for _, r := range append(shared, own...) {
			for range 3 { // the last is from the cache
				tags[r] = h.do(t, r.key, "GET", r.path, "").is(t, 200, nil).header.Get("ETag")
			}
		}
		h.do(t, "write", "PUT", "/api/me/likes/"+h.ids[1], "").is(t, 200, nil)
		for _, r := range shared {
			h.do(t, r.key, "GET", r.path, "", "If-None-Match", tags[r]).is(t, 304, nil)
		}
		for _, r := range own {
			h.do(t, r.key, "GET", r.path, "", "If-None-Match", tags[r]).is(t, 200, nil)
		}
		var list catalogapi.SongList
		got := h.get(t, "/api/songs?with=me&limit=1&page=2").is(t, 200, &list)
		if len(list.Songs) != 1 || list.Songs[0].Me == nil || list.Songs[0].Me.Liked != (list.Songs[0].ID == h.ids[1]) {
			t.Errorf("page with own data: got %s, want only %s liked", got.body, h.ids[1])
		}
		if links := parseLinks(got.header.Get("Link")); links["prev"] != h.url+"/api/songs?page=1&limit=1&with=me" {
			t.Errorf("link to the page before: got %s, want it with with=me", links["prev"])
		}
	})
}

func TestHistoryAndTopListOwnPlays(t *testing.T) {
	onBoth(t, 2, func(t *testing.T, h *fixture) {
		now := time.Now().UTC()
		play := func(key string, song int, age time.Duration) {
			h.do(t, key, "POST", "/api/plays", fmt.Sprintf(`{"song_id":%q,"played_at":%q}`, h.ids[song],
				now.Add(-age).Format(time.RFC3339))).is(t, 200, nil)
		}
		const day = 24 * time.Hour
		play("both", 0, 40*day)
		play("both", 0, 41*day)
		play("both", 1, day)
		play("bob", 0, day)
		var plays catalogapi.HistoryList
		h.get(t, "/api/me/history?with=me&limit=2").is(t, 200, &plays)
		if plays.Total != 3 || len(plays.History) != 2 || plays.History[0].Song.ID != h.ids[1] ||
			plays.History[0].Source == nil || *plays.History[0].Source != "both" || plays.History[1].Song.Me.PlayCount != 2 {
			t.Fatalf("history: got %+v, want 3 plays, the newest of %s reported by the key both", plays, h.ids[1])
		}
		for path, want := range map[string][]int{
			"type=song&range=all": {2, 1}, "type=song&range=7d": {1}, "type=song&range=30d": {1}, "type=song&range=1y": {2, 1},
			"type=artist&range=7d": {1, 1}, "type=album&range=all": {2, 1}, "type=album&range=7d": {1},
		} {
			var list catalogapi.TopList
			h.get(t, "/api/me/top?with=me&"+path).is(t, 200, &list)
			got := []int{}
			for _, row := range list.Top {
				got = append(got, row.PlayCount)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) || list.Total != len(want) {
				t.Errorf("top %s: got %v of %d, want %v", path, got, list.Total, want)
			}
		}
		id := plays.History[0].PlayID
		h.do(t, "bob", "DELETE", "/api/me/history/"+id, "").is(t, 404, nil)
		h.do(t, "write", "DELETE", "/api/me/history/"+id, "").is(t, 200, nil)
		h.do(t, "write", "DELETE", "/api/me/history/"+id, "").is(t, 404, nil)
		if got := h.me(t, "read", "/api/songs/"+h.ids[1]); got.PlayCount != 0 || got.LastPlayedAt != nil {
			t.Errorf("song without plays: got %+v, want none", got)
		}
		h.do(t, "write", "DELETE", "/api/me/history?all=true", "").is(t, 200, nil)
		var ann, bob catalogapi.HistoryList
		h.get(t, "/api/me/history").is(t, 200, &ann)
		h.do(t, "bob", "GET", "/api/me/history", "").is(t, 200, &bob)
		if ann.Total != 0 || bob.Total != 1 {
			t.Errorf("history after its deletion: got %d of Ann, %d of Bob; want 0, 1", ann.Total, bob.Total)
		}
	})
}

// TestEventsReportOwnChanges reads the events of two users while one of them likes a song.
func TestEventsReportOwnChanges(t *testing.T) {
	h := start(t, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	versions := 0
	for version, err := range (&client.Catalog{BaseURL: h.url, Key: h.keys["read"], HTTP: h.http}).PersonalVersions(ctx) {
		if err != nil || version == "" {
			t.Fatalf("got version %q, error %v", version, err)
		}
		if versions++; versions == 2 {
			break
		}
		h.do(t, "bob", http.MethodPut, "/api/me/likes/"+h.ids[0], "").is(t, 200, nil)
		h.do(t, "write", http.MethodPut, "/api/me/likes/"+h.ids[0], "").is(t, 200, nil)
	}
	if versions != 2 {
		t.Errorf("got %d versions, want 2", versions)
	}
}
