package cataloghttp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"waxwing/api/catalogapi"
	"waxwing/internal/testenv"
)

// TestNearMissesOfKeys changes a good key a little, thousands of times: none opens anything, the address is told to
// slow down, and the owner of the key never is.
func TestNearMissesOfKeys(t *testing.T) {
	h := start(t, 1)
	seen := map[int]int{}
	count := testenv.Size(1000, 10_000, 10_000)
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
		seen[resp.StatusCode]++
		if i%100 == 0 {
			h.get(t, "/api/songs").is(t, 200, nil)
		}
	}
	if accepted := len(misses) - seen[401] - seen[429]; accepted != 0 || seen[401] < 10 || seen[429] < count/2 {
		t.Errorf("answers by status: %v", seen)
	}
	testenv.Report(t, testenv.WrongCredentials, testenv.Tally{Inputs: len(misses), Note: fmt.Sprintf("%s: %d answered 401, %d 429", testenv.TriedOf(len(misses), 10_000, "near misses of keys"), seen[401], seen[429])})
}

// TestAnothersThingsDoNotExist: every operation that names a playlist or a key, with the key of somebody else.
func TestAnothersThingsDoNotExist(t *testing.T) {
	h := start(t, 2)
	var made catalogapi.PlaylistReply
	h.do(t, "all", "POST", "/api/playlists", fmt.Sprintf(`{"name":"Secret mix","public":false,"song_ids":[%q]}`, h.ids[0])).is(t, 200, &made)
	own, err := h.store.FindKey(t.Context(), "read")
	if err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("{playlist_id}", made.Playlist.ID, "{key_id}", own.ID, "{position}", "0")
	body := fmt.Sprintf(`{"name":"Taken","song_ids":[%q],"song_id":%q,"to":0,"permissions":["read"]}`, h.ids[1], h.ids[0])
	before := h.get(t, "/api/playlists/"+made.Playlist.ID+"/songs").body
	tried := 0
	for path, item := range document().Paths.Map() {
		if !strings.Contains(path, "{playlist_id}") && !strings.Contains(path, "{key_id}") {
			continue
		}
		for method := range item.Operations() {
			tried++
			got := h.do(t, "bob with keys", method, fill.Replace(path)+"?song_id="+h.ids[0], body)
			if got.status != 404 || strings.Contains(got.body, "Secret") {
				t.Errorf("%s %s: %d %s", method, path, got.status, got.body)
			}
		}
	}
	for _, path := range []string{"/api/playlists", "/api/users/ann/playlists", "/api/search?q=secret", "/api/keys"} {
		tried++
		if got := h.do(t, "bob with keys", "GET", path, ""); got.status != 200 || strings.Contains(got.body, "Secret") || strings.Contains(got.body, own.ID) {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	if after := h.get(t, "/api/playlists/"+made.Playlist.ID+"/songs").body; after != before || h.get(t, "/api/songs").status != 200 {
		t.Errorf("it was changed to %s", after)
	}
	testenv.Report(t, testenv.Scopes, testenv.Tally{Inputs: tried, Note: "another's playlists and keys"})
}

// TestForeignPagesGetNothing asks every operation of the document as pages of other origins would, with a key
// that opens it: covers may be shown anywhere, and that is all.
func TestForeignPagesGetNothing(t *testing.T) {
	h := start(t, 1)
	fill := strings.NewReplacer("{song_id}", h.ids[0], "{playlist_id}", "pl_none", "{album_id}", "al_none", "{username_or_id}", "guest", "{username}", "ann", "{position}", "0", "{hash}", "00112233445566778899", "{key_id}", "ke_none")
	tried := 0
	for path, item := range document().Paths.Map() {
		for method := range item.Operations() {
			for _, page := range [][]string{
				{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Origin", "http://127.0.0.1:1"}, {"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"},
				{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Content-Type", "text/plain"}, {"Origin", "file://"},
			} {
				tried++
				got := h.do(t, "all", method, fill.Replace(path), "", page...)
				if got.header.Get("Access-Control-Allow-Origin") != "" || got.status != 403 && !strings.HasPrefix(path, "/media/covers/") {
					t.Errorf("%s %s from %v: %d %.200s", method, path, page, got.status, got.body)
				}
			}
		}
	}
	testenv.Report(t, testenv.WebOrigins, testenv.Tally{Inputs: tried, Note: "the catalog"})
}
