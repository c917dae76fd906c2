package cataloghttp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"waxwing/api/catalogapi"
	"waxwing/internal/testenv"
)

// Thousands of slight variations of a valid key are all rejected. The address is rate limited, the
// owner of the key is not.
func TestNearMissesOfKeys(t *testing.T) {
	h := start(t, 1)
	byStatus := map[int]int{}
	count := testenv.Size(400, 10_000, 10_000)
	misses := testenv.NearMisses(h.keys["read"], count)
	for i, near := range misses {
		req, err := http.NewRequestWithContext(t.Context(), "GET", h.url+"/api/songs", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Api-Key", near)
		resp, err := h.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		byStatus[resp.StatusCode]++
		if i%100 == 0 {
			h.get(t, "/api/songs").is(t, 200, nil)
		}
	}
	accepted := len(misses) - byStatus[401] - byStatus[429]
	if accepted != 0 || byStatus[401] < 10 || byStatus[429] < count/2 {
		t.Errorf("got responses by status %v, want only 401 and 429", byStatus)
	}
	tried := testenv.TriedOf(len(misses), 10_000, "near misses of keys")
	testenv.Report(t, testenv.WrongCredentials, testenv.Tally{
		Inputs: len(misses), Note: fmt.Sprintf("%s: %d got 401, %d got 429", tried, byStatus[401], byStatus[429]),
	})
}

// Every operation on a playlist or a key returns 404 with the key of another user.
func TestDataOfOtherUsersReturns404(t *testing.T) {
	h := start(t, 2)
	var created catalogapi.PlaylistReply
	mix := fmt.Sprintf(`{"name":"Secret mix","public":false,"song_ids":[%q]}`, h.ids[0])
	h.do(t, "all", "POST", "/api/playlists", mix).is(t, 200, &created)
	own, err := h.store.FindKey(t.Context(), "read")
	if err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("{playlist_id}", created.Playlist.ID, "{key_id}", own.ID, "{position}", "0")
	body := fmt.Sprintf(`{"name":"Taken","song_ids":[%q],"song_id":%q,"to":0,"permissions":["read"]}`, h.ids[1], h.ids[0])
	before := h.get(t, "/api/playlists/"+created.Playlist.ID+"/songs").body
	tried := 0
	for path, item := range document().Paths.Map() {
		if !strings.Contains(path, "{playlist_id}") && !strings.Contains(path, "{key_id}") {
			continue
		}
		for method := range item.Operations() {
			tried++
			got := h.do(t, "bob with keys", method, fill.Replace(path)+"?song_id="+h.ids[0], body)
			if got.status != 404 || strings.Contains(got.body, "Secret") {
				t.Errorf("%s %s: got %d %s, want 404", method, path, got.status, got.body)
			}
		}
	}
	for _, path := range []string{"/api/playlists", "/api/users/ann/playlists", "/api/search?q=secret", "/api/keys"} {
		tried++
		got := h.do(t, "bob with keys", "GET", path, "")
		if got.status != 200 || strings.Contains(got.body, "Secret") || strings.Contains(got.body, own.ID) {
			t.Errorf("%s: got %d %s, want 200 without data of another user", path, got.status, got.body)
		}
	}
	after := h.get(t, "/api/playlists/"+created.Playlist.ID+"/songs").body
	if after != before || h.get(t, "/api/songs").status != 200 {
		t.Errorf("playlist after the requests of another user: got %s, want %s", after, before)
	}
	testenv.Report(t, testenv.Scopes, testenv.Tally{Inputs: tried, Note: "playlists and keys of another user"})
}

// Every operation below /api/me shows and changes what belongs to the user of the key, whatever ids
// the request has.
func TestPersonalOperationsReachNoOtherUser(t *testing.T) {
	onBoth(t, 2, func(t *testing.T, h *fixture) {
		var smart catalogapi.PlaylistReply
		h.do(t, "both", "POST", "/api/playlists", `{"name":"Secret mix","rules":{"match":"all","rules":[`+
			`{"field":"rating","op":"gt","value":3}]}}`).is(t, 200, &smart)
		h.do(t, "both", "PUT", "/api/me/likes/"+h.ids[0], "").is(t, 200, nil)
		h.do(t, "both", "PUT", "/api/me/likes/"+smart.Playlist.ID, "").is(t, 200, nil)
		h.do(t, "both", "PUT", "/api/me/ratings/"+h.ids[0], `{"rating":5}`).is(t, 200, nil)
		h.do(t, "both", "POST", "/api/plays", fmt.Sprintf(`{"song_id":%q}`, h.ids[0])).is(t, 200, nil)
		own := []string{"/api/me", "/api/me/likes?with=me", "/api/me/likes?type=playlist", "/api/me/history?with=me",
			"/api/me/top?with=me", "/api/songs?with=me", "/api/songs?liked=true", "/api/albums?sort=recent&with=me",
			"/api/playlists/" + smart.Playlist.ID + "/songs?with=me"}
		before := map[string]string{}
		for _, path := range own {
			before[path] = h.get(t, path).is(t, 200, nil).body
		}
		var history catalogapi.HistoryList
		h.get(t, "/api/me/history").is(t, 200, &history)
		fill := strings.NewReplacer("{id}", h.ids[0], "{play_id}", history.History[0].PlayID)
		tried := 0
		for _, reads := range []bool{true, false} { // Bob's own changes come last
			for path, item := range document().Paths.Map() {
				for method := range item.Operations() {
					if !strings.HasPrefix(path, "/api/me") || reads != (method == http.MethodGet) {
						continue
					}
					tried++
					got := h.do(t, "bob", method, fill.Replace(path)+"?all=true", `{"rating":0}`)
					if strings.Contains(got.body, h.ids[0]) || strings.Contains(got.body, "Secret") {
						t.Errorf("%s %s: got %s, want no data of another user", method, path, got.body)
					}
				}
			}
		}
		if tried < 9 {
			t.Errorf("operations below /api/me: got %d, want at least 9", tried)
		}
		for _, path := range own {
			if after := h.get(t, path).is(t, 200, nil).body; after != before[path] {
				t.Errorf("%s after the requests of another user: got %s, want %s", path, after, before[path])
			}
		}
		testenv.Report(t, testenv.Scopes, testenv.Tally{Inputs: tried, Note: "personal data of another user"})
	})
}

// Pages of other origins get 403 for every operation, even with a valid key. Only covers can be
// embedded.
func TestForeignPagesAreDenied(t *testing.T) {
	h := start(t, 1)
	fill := strings.NewReplacer("{song_id}", h.ids[0], "{playlist_id}", "pl_none", "{album_id}", "al_none",
		"{username_or_id}", "guest", "{username}", "ann", "{position}", "0", "{hash}", "00112233445566778899aabbccddeeff",
		"{key_id}", "ke_none", "{id}", h.ids[0], "{play_id}", "py_none", "{genre}", "pop")
	tried := 0
	for path, item := range document().Paths.Map() {
		for method := range item.Operations() {
			for _, page := range [][]string{
				{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Origin", "http://127.0.0.1:1"},
				{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, {"Origin", "file://"},
				{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
				{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Content-Type", "text/plain"},
			} {
				tried++
				got := h.do(t, "all", method, fill.Replace(path), "", page...)
				allowed := got.status != 403 && !strings.HasPrefix(path, "/media/covers/")
				if got.header.Get("Access-Control-Allow-Origin") != "" || allowed {
					t.Errorf("%s %s from %v: got %d %.200s, want 403", method, path, page, got.status, got.body)
				}
			}
		}
	}
	testenv.Report(t, testenv.WebOrigins, testenv.Tally{Inputs: tried, Note: "the catalog"})
}
