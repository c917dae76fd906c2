package cataloghttp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/internal/catalog"
	"waxwing/internal/cataloghttp"
)

// exactly lists the fields that contract.md gives each object.
var exactly = map[string]string{
	"song":     "id title artist artist_id artists album album_id track_number disc_number duration year genre explicit cover_url thumbnail_url stream_url format bitrate play_count available created_at updated_at",
	"playlist": "id name description owner public song_count duration cover_url thumbnail_url created_at updated_at",
	"artist":   "id username name bio image_url song_count album_count play_count created_at updated_at",
	"user":     "id username name profile_image_url bio playlist_count created_at",
}

func fieldsOf(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func sorted(fields string) string {
	names := strings.Fields(fields)
	slices.Sort(names)
	return strings.Join(names, " ")
}

func TestEveryObjectHasExactlyItsFields(t *testing.T) {
	onBoth(t, 3, func(t *testing.T, h *fixture) {
		var made catalogapi.PlaylistReply
		h.do(t, "write", "POST", "/api/playlists", fmt.Sprintf(`{"name":"Mix","public":true,"song_ids":[%q]}`, h.ids[0])).is(t, 200, &made)
		for path, noun := range map[string]string{
			"/api/songs/" + h.ids[0]: "song", "/api/playlists/" + made.Playlist.ID: "playlist", "/api/artists/guest": "artist",
			"/api/users/Ann": "user", "/api/users/me": "user",
		} {
			var body map[string]json.RawMessage
			h.get(t, path).is(t, 200, &body)
			if len(body) != 1 || fieldsOf(t, body[noun]) != sorted(exactly[noun]) {
				t.Errorf("%s has %s", path, fieldsOf(t, body[noun]))
			}
		}
		for path, list := range map[string]string{
			"/api/songs": "songs", "/api/playlists": "playlists", "/api/artists": "artists", "/api/artists/guest/songs": "songs", "/api/users/ann/playlists": "playlists",
		} {
			var body map[string]json.RawMessage
			h.get(t, path).is(t, 200, &body)
			var rows []json.RawMessage
			if err := json.Unmarshal(body[list], &rows); err != nil || len(rows) == 0 {
				t.Fatalf("%s: %v, %d rows", path, err, len(rows))
			}
			if got := fieldsOf(t, rows[0]); got != sorted(exactly[strings.TrimSuffix(list, "s")]) {
				t.Errorf("%s has %s", path, got)
			}
			delete(body, list)
			if len(body) != 3 || string(body["page"]) != "1" || string(body["limit"]) != "50" {
				t.Errorf("%s: envelope is %s", path, body)
			}
		}
		var entries catalogapi.PlaylistSongList
		got := h.get(t, "/api/playlists/"+made.Playlist.ID+"/songs").is(t, 200, &entries)
		if want := sorted(exactly["song"] + " position added_at"); !strings.Contains(got.body, `"position":0`) || len(entries.Songs) != 1 || want == "" {
			t.Errorf("entries are %s", got.body)
		}
	})
}

// TestSongsAreWrittenAsTheirType compares the hand-made encoding with the generated one.
func TestSongsAreWrittenAsTheirType(t *testing.T) {
	h := start(t, 1)
	song, err := h.store.Song(t.Context(), h.ids[0])
	if err != nil {
		t.Fatal(err)
	}
	song.Format = "odd \"form\"\u00e9"
	for _, available := range []bool{true, false} {
		song.Available, song.Bitrate = available, 320*(1+len(song.Format))
		written := cataloghttp.AppendSong(nil, "http://h", song)
		var typed catalogapi.Song
		if err := json.Unmarshal(written, &typed); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(typed)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if json.Unmarshal(written, &a) != nil || json.Unmarshal(again, &b) != nil || !reflect.DeepEqual(a, b) {
			t.Errorf("written %s\n  typed %s", written, again)
		}
	}
}

func TestPagesAndLinks(t *testing.T) {
	onBoth(t, 95, func(t *testing.T, h *fixture) {
		seen := map[string]bool{}
		path := "/api/songs?limit=20"
		for pages := 1; ; pages++ {
			var list catalogapi.SongList
			got := h.get(t, path).is(t, 200, &list)
			if list.Total != 95 || list.Limit != 20 || list.Page != pages {
				t.Fatalf("envelope is %d %d %d", list.Page, list.Limit, list.Total)
			}
			for _, song := range list.Songs {
				seen[song.ID] = true
			}
			links := parseLinks(got.header.Get("Link"))
			if links["first"] != h.url+"/api/songs?page=1&limit=20" || links["last"] != h.url+"/api/songs?page=5&limit=20" || (links["prev"] == "") != (pages == 1) {
				t.Errorf("links are %v", links)
			}
			if links["next"] == "" {
				if pages != 5 {
					t.Errorf("the walk ended on page %d", pages)
				}
				break
			}
			path = strings.TrimPrefix(links["next"], h.url)
		}
		if len(seen) != 95 {
			t.Errorf("met %d songs", len(seen))
		}
		var past catalogapi.SongList
		h.get(t, "/api/songs?page=9007199254740991&limit=200").is(t, 200, &past)
		if past.Songs == nil || len(past.Songs) != 0 || past.Total != 95 || past.Page != 9007199254740991 {
			t.Errorf("past the end: %+v", past)
		}
	})
}

func parseLinks(header string) map[string]string {
	links := map[string]string{}
	for part := range strings.SplitSeq(header, ", ") {
		target, rel, _ := strings.Cut(part, "; rel=")
		links[strings.Trim(rel, `"`)] = strings.Trim(target, "<>")
	}
	return links
}

func TestBadNumbersNameTheParameterAndItsRange(t *testing.T) {
	h := start(t, 1)
	for _, path := range []string{"/api/songs", "/api/playlists", "/api/artists", "/api/albums", "/api/artists/guest/songs", "/api/users/ann/playlists"} {
		for _, bad := range []string{"0", "-1", "abc", "1.5", "", "+1", "0x1", "1e3", "%20", "201", "99999999999999999999", "1&limit=2", "%00", "ⅷ"} {
			got := h.get(t, path+"?limit="+bad)
			if got.status != 400 || !strings.Contains(got.body, "limit must be a whole number from 1 to 200") {
				t.Errorf("%s?limit=%s: %d %s", path, bad, got.status, got.body)
			}
			if bad == "201" {
				continue
			}
			got = h.get(t, path+"?page="+strings.ReplaceAll(bad, "limit", "page"))
			if got.status != 400 || !strings.Contains(got.body, "page must be a whole number from 1 to") {
				t.Errorf("%s?page=%s: %d %s", path, bad, got.status, got.body)
			}
		}
	}
	for _, bad := range []string{"0", "101", "x"} {
		if got := h.get(t, "/api/songs/trending?limit="+bad); got.status != 400 || !strings.Contains(got.body, "from 1 to 100") {
			t.Errorf("trending: %d %s", got.status, got.body)
		}
	}
	if got := h.get(t, "/api/songs?limit=5&limit=%zz"); got.status != 400 {
		t.Errorf("a broken query: %d", got.status)
	}
}

func TestUnknownThingsAre404(t *testing.T) {
	h := start(t, 1)
	for _, path := range []string{
		"/api/songs/so_0000000000000000000000", "/api/songs/x", "/api/songs/" + h.ids[0] + "x", "/api/albums/al_0000000000000000000000", "/api/artists/nobody-here",
		"/api/artists/ar_0000000000000000000000", "/api/artists/" + h.ids[0], "/api/users/nobody", "/api/users/us_0000000000000000000000",
		"/api/playlists/pl_0000000000000000000000", "/api/playlists/pl_0000000000000000000000/songs", "/api/songs/so_0000000000000000000000/stream",
		"/api/songs/so_0000000000000000000000/link", "/api", "/api/nothing", "/media/covers/0011223344556677", "/media/covers/x",
	} {
		if got := h.get(t, path); got.status != 404 || !strings.HasPrefix(got.body, `{"error":"`) {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	if got := h.do(t, "both", "PUT", "/api/songs", ""); got.status != 405 || got.header.Get("Allow") != "GET, HEAD" {
		t.Errorf("PUT: %d, Allow %q", got.status, got.header.Get("Allow"))
	}
}

func TestTrendingIsExactAtOnce(t *testing.T) {
	onBoth(t, 30, func(t *testing.T, h *fixture) {
		for i, id := range []string{h.ids[7], h.ids[3], h.ids[3]} {
			at := time.Now().Add(-time.Duration(i) * time.Hour).UTC().Format(time.RFC3339)
			h.do(t, "write", "POST", "/api/plays", fmt.Sprintf(`{"song_id":%q,"played_at":%q}`, id, at), "Idempotency-Key", fmt.Sprint("k", i)).is(t, 200, nil)
			var got catalogapi.Trending
			h.get(t, "/api/songs/trending").is(t, 200, &got)
			want := []string{h.ids[7], h.ids[7], h.ids[3]}[i]
			if len(got.Songs) != 20 || got.Songs[0].ID != want {
				t.Errorf("after play %d %s leads", i, got.Songs[0].ID)
			}
		}
		var song catalogapi.SongReply
		h.get(t, "/api/songs/"+h.ids[3]).is(t, 200, &song)
		if song.Song.PlayCount != 2 {
			t.Errorf("%d plays", song.Song.PlayCount)
		}
	})
}

func TestTagsFollowTheRevision(t *testing.T) {
	onBoth(t, 60, func(t *testing.T, h *fixture) {
		paths := []string{"/api/songs", "/api/songs?page=2", "/api/songs/" + h.ids[0], "/api/songs/trending", "/api/artists", "/api/artists/guest", "/api/albums", "/api/playlists", "/api/users/ann", "/api/search?q=song"}
		tags := map[string]string{}
		for _, path := range paths {
			got := h.get(t, path).is(t, 200, nil)
			tags[path] = got.header.Get("ETag")
			if got.header.Get("Cache-Control") != "private, no-cache" || !strings.Contains(got.header.Get("Vary"), "X-Api-Key") || tags[path] == "" {
				t.Errorf("%s: headers are %v", path, got.header)
			}
			again := h.get(t, path, "If-None-Match", `"other", `+tags[path])
			if again.status != 304 || again.body != "" || again.header.Get("ETag") != tags[path] {
				t.Errorf("%s again: %d %s", path, again.status, again.body)
			}
		}
		if got := h.get(t, "/api/songs/so_0000000000000000000000", "If-None-Match", tags["/api/songs/"+h.ids[0]]); got.status != 404 {
			t.Errorf("the tag of another song: %d", got.status)
		}
		if got := h.do(t, "", "GET", "/api/songs", "", "If-None-Match", tags["/api/songs"]); got.status != 401 {
			t.Errorf("a tag without a key: %d", got.status)
		}
		bobs := h.do(t, "bob", "GET", "/api/playlists", "", "If-None-Match", tags["/api/playlists"])
		if bobs.status != 200 {
			t.Errorf("another owner's tag: %d", bobs.status)
		}
		h.add(t, 1000, 1)
		for _, path := range paths {
			if got := h.get(t, path, "If-None-Match", tags[path]); got.status != 200 || got.header.Get("ETag") == tags[path] {
				t.Errorf("%s after a change: %d %s", path, got.status, got.header.Get("ETag"))
			}
		}
	})
}

func TestBodiesAreZippedForThoseWhoAccept(t *testing.T) {
	h := start(t, 60)
	plain := h.get(t, "/api/songs").is(t, 200, nil)
	for _, accept := range []string{"gzip", "br, gzip;q=0.5", "GZIP"} {
		zipped := h.get(t, "/api/songs", "Accept-Encoding", accept)
		if zipped.header.Get("Content-Encoding") != "gzip" || len(zipped.body) > len(plain.body)/3 {
			t.Errorf("%s: %s, %d of %d bytes", accept, zipped.header.Get("Content-Encoding"), len(zipped.body), len(plain.body))
		}
	}
	for _, accept := range []string{"", "br", "gzip;q=0", "identity"} {
		if got := h.get(t, "/api/songs", "Accept-Encoding", accept); got.header.Get("Content-Encoding") != "" || got.body != plain.body {
			t.Errorf("%q: %s", accept, got.header.Get("Content-Encoding"))
		}
	}
	head := h.do(t, "read", "HEAD", "/api/songs", "")
	if head.status != 200 || head.header.Get("Content-Length") != fmt.Sprint(len(plain.body)) || head.header.Get("ETag") != plain.header.Get("ETag") {
		t.Errorf("HEAD: %d %v", head.status, head.header)
	}
}

func TestOperation(t *testing.T) {
	h := start(t, 1)
	for path, want := range map[string]string{
		"/health": `"running"`, "/ready": `"ready"`, "/metrics": "waxwing_http_requests_total", "/openapi.yaml": "openapi: 3.1.0", "/docs": "<!doctype html>",
	} {
		if got := h.do(t, "", http.MethodGet, path, ""); got.status != 200 || !strings.Contains(strings.ToLower(got.body), strings.ToLower(want)) {
			t.Errorf("%s: %d %.200s", path, got.status, got.body)
		}
	}
	var scan catalogapi.ScanReply
	h.get(t, "/api/scan").is(t, 200, &scan)
	if scan.Scan.Running || scan.Scan.StartedAt != nil {
		t.Errorf("scan is %+v", scan.Scan)
	}
	if err := h.store.MarkMissing(t.Context(), []catalog.FileRef{{Root: h.music, Path: "00001.flac"}}); err != nil {
		t.Fatal(err)
	}
	if err := h.store.FinishScan(t.Context()); err != nil {
		t.Fatal(err)
	}
	var song catalogapi.SongReply
	h.get(t, "/api/songs/"+h.ids[0]).is(t, 200, &song)
	if song.Song.Available {
		t.Error("a song without its file is available")
	}
	if got := h.get(t, "/api/songs/"+h.ids[0]+"/stream"); got.status != 404 {
		t.Errorf("its sound: %d", got.status)
	}
	if got := h.get(t, "/api/songs/"+h.ids[0]+"/link"); got.status != 404 {
		t.Errorf("its link: %d", got.status)
	}
}
