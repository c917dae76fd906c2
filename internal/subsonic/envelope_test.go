package subsonic_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"waxwing/internal/testenv/apitest"
)

func TestFailuresHaveAnEnvelope(t *testing.T) {
	h := start(t, 3)
	unknown := "so_0000000000000000000000"
	for _, c := range []struct {
		call   string
		code   int64
		status int
		values []string
	}{
		{"getSong", 10, 200, nil},
		{"getSong", 70, 200, []string{"id", unknown}},
		{"getAlbum", 70, 200, []string{"id", "-1"}},
		{"getArtist", 70, 200, []string{"id", "the-artist-0"}},
		{"getMusicDirectory", 70, 200, []string{"id", "-1"}},
		{"getMusicDirectory", 70, 200, []string{"id", "9"}},
		{"getAlbumList2", 10, 200, nil},
		{"getAlbumList2", 0, 200, []string{"type", "best"}},
		{"getAlbumList2", 10, 200, []string{"type", "byYear"}},
		{"getAlbumList2", 0, 200, []string{"type", "newest", "size", "many"}},
		{"getPlaylist", 70, 200, []string{"id", "pl_0000000000000000000000"}},
		{"setRating", 0, 200, []string{"id", h.ids[0], "rating", "6"}},
		{"setRating", 10, 200, []string{"id", h.ids[0]}},
		{"star", 10, 200, nil},
		{"star", 70, 200, []string{"id", h.ids[0], "id", unknown}},
		{"scrobble", 70, 200, []string{"id", h.ids[0], "id", unknown}},
		{"savePlayQueueByIndex", 10, 200, []string{"id", h.ids[0], "currentIndex", "1"}},
		{"savePlayQueueByIndex", 10, 200, []string{"id", h.ids[0]}},
		{"savePlayQueue", 70, 200, []string{"id", unknown}},
		{"createPlaylist", 70, 200, []string{"name", "x", "songId", unknown}},
		{"createBookmark", 70, 200, []string{"id", unknown, "position", "1"}},
		{"getUser", 50, 200, []string{"username", "bob"}},
		{"getLyricsBySongId", 70, 200, []string{"id", unknown}},
		{"stream", 70, 404, []string{"id", unknown}},
		{"stream", 10, 400, nil},
		{"download", 70, 404, []string{"id", "x"}},
		{"getCoverArt", 70, 404, []string{"id", "x"}},
		{"getCoverArt", 70, 404, []string{"id", strings.Repeat("0", 32)}},
		{"getUsers", 0, 501, nil},
		{"search", 0, 501, []string{"any", "x"}},
		{"nothing", 70, 404, nil},
	} {
		for _, suffix := range []string{"", ".view"} {
			got := h.send(t, c.call+suffix, h.query("app", append(c.values, "f", "json")...))
			if n := code(t, c.call, got.body); n != c.code || got.status != c.status {
				t.Errorf("%s %v: got %d with status %d, want %d with %d", c.call, c.values, n, got.status, c.code, c.status)
			}
			inXML := h.send(t, c.call+suffix, h.query("app", c.values...))
			if fromXML := decodeXML(t, c.call, inXML.body); fromXML["status"] != "failed" || inXML.status != c.status {
				t.Errorf("%s %v in XML: got %d %s, want the same failure", c.call, c.values, inXML.status, inXML.body)
			}
		}
	}
	if got := h.send(t, "stream", url.Values{"id": {h.ids[0]}, "f": {"json"}}); got.status != 401 {
		t.Errorf("stream without a login: got %d, want 401", got.status)
	}
	if got := h.send(t, "stream", h.query("app", "id", h.ids[0]), "Range", "bytes=99999-"); got.status != 416 {
		t.Errorf("stream of a range outside: got %d, want 416", got.status)
	}
	if got := h.send(t, "ping", h.query("app", "f", "jsonp", "callback", "alert(1)//")); strings.Contains(got.body,
		"alert") {
		t.Errorf("JSONP with a script as its callback: got %s", got.body)
	}
	if got := h.send(t, "ping", h.query("app", "f", "json", "id", strings.Repeat("x", 2_000_000))); got.status != 431 &&
		code(t, "ping", got.body) != -1 {
		t.Errorf("a long query: got %d", got.status)
	}
}

func TestPagesOfEveryOriginMayUseIt(t *testing.T) {
	h := start(t, 2)
	page := []string{"Origin", "https://app.example", "Sec-Fetch-Site", "cross-site"}
	got := h.send(t, "getAlbumList2", h.query("app", "type", "newest", "f", "json"), page...)
	for name, want := range map[string]string{"Access-Control-Allow-Origin": "*", "X-Total-Count": "1",
		"Access-Control-Expose-Headers": "X-Total-Count, ETag, Retry-After, Content-Range"} {
		if got.header.Get(name) != want {
			t.Errorf("%s: got %q, want %q", name, got.header.Get(name), want)
		}
	}
	if code(t, "getAlbumList2", got.body) != -1 {
		t.Errorf("call of a page: got %s, want ok", got.body)
	}
	for _, call := range []string{"ping", "stream", "nothing"} {
		req := apitest.NewRequest(t, http.MethodOptions, h.url+"/rest/"+call, "", append(page,
			"Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "content-type,range")...)
		resp, _ := apitest.Send(t, h.http, req)
		if resp.StatusCode != 200 || resp.Header.Get("Access-Control-Allow-Headers") != "*" {
			t.Errorf("preflight of %s: got %d %v, want 200 for all headers", call, resp.StatusCode, resp.Header)
		}
	}
	req := apitest.NewRequest(t, http.MethodGet, h.url+"/rest/ping", "", "Host", "evil.example")
	if resp, body := apitest.Send(t, h.http, req); resp.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("foreign Host: got %d %s, want 421", resp.StatusCode, body)
	}
	if resp, body := apitest.Send(t, h.http, apitest.NewRequest(t, http.MethodGet, h.url+"/",
		"")); resp.StatusCode != 200 {
		t.Errorf("GET /: got %d %s, want 200", resp.StatusCode, body)
	}
	req = apitest.NewRequest(t, http.MethodDelete, h.url+"/rest/ping", "")
	if resp, body := apitest.Send(t, h.http, req); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("DELETE: got %d %s, want 405", resp.StatusCode, body)
	}
}

// Clients before 1.13 get XML without what OpenSubsonic added: some stop at an unknown element.
func TestClassicXMLHasNoChildrenOfOpenSubsonic(t *testing.T) {
	h := start(t, 30)
	h.annotate(t)
	album := in(h.must(t, "app", "getSong", "id", h.ids[0]), "song", "albumId").(string)
	for _, ask := range [][]string{
		{"getAlbum", "id", album}, {"getAlbumList2", "type", "newest", "size", "500"}, {"search3", "songCount", "100"},
		{"getStarred2"}, {"getArtists"}, {"getIndexes"}, {"getMusicDirectory", "id", album}, {"getNowPlaying"},
		{"getPlayQueue"}, {"getBookmarks"}, {"getRandomSongs", "size", "100"}, {"getPlaylists"},
	} {
		for version, classic := range map[string]bool{"1.2.0": true, "1.8.0": true, "0.9.9": true, "1.12.9": true,
			"1.13.0": false, "1.16.1": false, "2.0": false, "": false, "x": false} {
			q := h.query("app", ask[1:]...)
			q.Set("v", version)
			got := h.send(t, ask[0], q)
			found := false
			for _, added := range []string{"<genres name", "<artists id", "<replayGain", "mediaType=", "displayArtist=",
				"isCompilation=", "readonly="} {
				found = found || strings.Contains(got.body, added)
			}
			if found && classic {
				t.Errorf("%s of version %q: got fields of OpenSubsonic: %.300s", ask[0], version, got.body)
			}
			if ask[0] == "getAlbum" && !classic && !found {
				t.Errorf("%s of version %q: got no fields of OpenSubsonic", ask[0], version)
			}
		}
	}
}
