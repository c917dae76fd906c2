package subsonic_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"waxwing/internal/testenv/apitest"
)

func TestStreamsHaveTheOriginal(t *testing.T) {
	h := start(t, 3)
	q := h.query("app", "id", h.ids[1], "format", "raw", "maxBitRate", "320")
	for _, call := range []string{"stream", "download", "stream.view"} {
		got := h.send(t, call, q)
		if got.status != 200 || len(got.body) != 1001 || got.header.Get("Content-Type") != "audio/flac" ||
			got.header.Get("X-Content-Duration") != "101.000" || got.header.Get("Content-Length") != "1001" {
			t.Errorf("%s: got %d, %d bytes, %v; want the file", call, got.status, len(got.body), got.header)
		}
		part := h.send(t, call, q, "Range", "bytes=10-19")
		if part.status != 206 || len(part.body) != 10 || part.header.Get("Content-Range") != "bytes 10-19/1001" {
			t.Errorf("%s of a range: got %d, %d bytes, %v", call, part.status, len(part.body), part.header)
		}
		if whole := h.send(t, call, q, "Range", "bytes=0-"); whole.status != 206 || len(whole.body) != 1001 {
			t.Errorf("%s of the range from 0: got %d, %d bytes, want 206 with all", call, whole.status, len(whole.body))
		}
	}
	h.must(t, "app", "getSong", "id", h.ids[1])
	if got := in(h.must(t, "app", "getSong", "id", h.ids[1]), "song", "playCount"); got != json.Number("0") {
		t.Errorf("plays after streams: got %v, want 0", got)
	}
}

func TestCoversByNameAndByObject(t *testing.T) {
	h := start(t, 12)
	song := in(h.must(t, "app", "getSong", "id", h.ids[0]), "song")
	name := in(song, "coverArt").(string)
	if strings.Contains(name, "_") || len(name) != 32 {
		t.Errorf("coverArt: got %q, want 32 hex digits", name)
	}
	playlist := in(h.must(t, "app", "createPlaylist", "name", "x"), "playlist", "id").(string)
	various := in(h.must(t, "app", "search3", "query", "hits"), "searchResult3", "album", 0, "artistId").(string)
	for _, id := range []string{name, h.ids[0], in(song, "albumId").(string), in(song, "artistId").(string), playlist,
		various} {
		for _, size := range []string{"", "1", "64", "97", "300", "5000"} {
			got := h.send(t, "getCoverArt", h.query("app", "id", id, "size", size))
			if got.status != 200 || !strings.HasPrefix(got.header.Get("Content-Type"), "image/") {
				t.Errorf("cover of %s in size %s: got %d %s", id, size, got.status, got.header.Get("Content-Type"))
			}
			caching := got.header.Get("Cache-Control")
			if immutable := strings.Contains(caching, "immutable"); immutable != (id == name) {
				t.Errorf("cover of %s: got Cache-Control %q, want immutable for names only", id, caching)
			}
			again := h.send(t, "getCoverArt", h.query("app", "id", id, "size", size), "If-None-Match", got.header.Get("ETag"))
			if again.status != 304 {
				t.Errorf("cover of %s with its ETag: got %d, want 304", id, again.status)
			}
		}
	}
	if got := h.send(t, "getAvatar", h.query("app", "username", "ANN")); got.status != 200 {
		t.Errorf("avatar: got %d, want 200", got.status)
	}
	if got := h.send(t, "getCoverArt", h.query("bobs", "id", playlist)); got.status != 404 {
		t.Errorf("cover of a private playlist of another user: got %d, want 404", got.status)
	}
}

// The page that shows the login of an app is the same for everybody, and its policy allows its own
// script only.
func TestConnectPageAllowsOnlyItsOwnScript(t *testing.T) {
	h := start(t, 0)
	resp, body := apitest.Send(t, h.http, apitest.NewRequest(t, http.MethodGet, h.url+"/connect", ""))
	policy := resp.Header.Get("Content-Security-Policy")
	if resp.StatusCode != http.StatusOK || !strings.Contains(body, "Connect an app") ||
		!strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		t.Errorf("page: got %d %.200s, want HTML", resp.StatusCode, body)
	}
	for _, path := range []string{"/", "/connect"} {
		resp, _ := apitest.Send(t, h.http, apitest.NewRequest(t, http.MethodGet, h.url+path, ""))
		if got := resp.Header.Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("%s: got Access-Control-Allow-Origin %q, want it on /rest only", path, got)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; script-src 'sha256-") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy: got %q, want a hash of the script and nothing else", policy)
	}
}
