package cataloghttp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/internal/catalog"
	"waxwing/internal/cataloghttp"
)

// exactly lists the fields of the public objects. New data needs a new endpoint or parameter.
var exactly = map[string]string{
	"song": "id title artist artist_id artists album album_id track_number disc_number duration year genre explicit " +
		"cover_url thumbnail_url stream_url format bitrate play_count available created_at updated_at",
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
	return strings.Join(slices.Sorted(maps.Keys(object)), " ")
}

func sorted(fields string) string {
	names := strings.Fields(fields)
	slices.Sort(names)
	return strings.Join(names, " ")
}

func TestEveryObjectHasExactlyItsFields(t *testing.T) {
	onBoth(t, 3, func(t *testing.T, h *fixture) {
		var created catalogapi.PlaylistReply
		mix := fmt.Sprintf(`{"name":"Mix","public":true,"song_ids":[%q]}`, h.ids[0])
		h.do(t, "write", "POST", "/api/playlists", mix).is(t, 200, &created)
		for path, noun := range map[string]string{
			"/api/songs/" + h.ids[0]: "song", "/api/playlists/" + created.Playlist.ID: "playlist",
			"/api/artists/guest": "artist", "/api/users/Ann": "user", "/api/users/me": "user",
		} {
			var body map[string]json.RawMessage
			h.get(t, path).is(t, 200, &body)
			if len(body) != 1 || fieldsOf(t, body[noun]) != sorted(exactly[noun]) {
				t.Errorf("%s: got fields %s, want %s", path, fieldsOf(t, body[noun]), exactly[noun])
			}
		}
		for path, list := range map[string]string{
			"/api/songs": "songs", "/api/playlists": "playlists", "/api/artists": "artists",
			"/api/artists/guest/songs": "songs", "/api/users/ann/playlists": "playlists",
		} {
			var body map[string]json.RawMessage
			h.get(t, path).is(t, 200, &body)
			var rows []json.RawMessage
			if err := json.Unmarshal(body[list], &rows); err != nil || len(rows) == 0 {
				t.Fatalf("%s: got %d rows, error %v; want at least 1", path, len(rows), err)
			}
			if got := fieldsOf(t, rows[0]); got != sorted(exactly[strings.TrimSuffix(list, "s")]) {
				t.Errorf("%s: got fields %s, want %s", path, got, exactly[strings.TrimSuffix(list, "s")])
			}
			delete(body, list)
			if len(body) != 3 || string(body["page"]) != "1" || string(body["limit"]) != "50" {
				t.Errorf("%s: got envelope %s, want page, limit and total", path, body)
			}
		}
		var entries struct{ Songs []json.RawMessage }
		got := h.get(t, "/api/playlists/"+created.Playlist.ID+"/songs").is(t, 200, &entries)
		want := sorted(exactly["song"] + " position added_at")
		if len(entries.Songs) != 1 || fieldsOf(t, entries.Songs[0]) != want || !strings.Contains(got.body, `"position":0`) {
			t.Errorf("playlist entries: got %s, want one with the fields %s", got.body, want)
		}
	})
}

// The hand-written encoding must equal that of the generated type.
func TestSongEncodingMatchesItsType(t *testing.T) {
	h := start(t, 1)
	song, err := h.store.Song(t.Context(), h.ids[0])
	if err != nil {
		t.Fatal(err)
	}
	song.Format = "odd \"form\"\u00e9"
	for _, available := range []bool{true, false} {
		song.Available, song.Bitrate = available, 320*(1+len(song.Format))
		written, err := cataloghttp.AppendSong("http://h", song)
		if err != nil {
			t.Fatal(err)
		}
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
			t.Errorf("got %s\nwant %s", written, again)
		}
	}
}

func TestLinkHeadersLeadThroughAllPages(t *testing.T) {
	onBoth(t, 95, func(t *testing.T, h *fixture) {
		ids := map[string]bool{}
		path := "/api/songs?limit=20"
		for pages := 1; ; pages++ {
			var list catalogapi.SongList
			got := h.get(t, path).is(t, 200, &list)
			if list.Total != 95 || list.Limit != 20 || list.Page != pages {
				t.Fatalf("got page %d, limit %d, total %d; want %d, 20, 95", list.Page, list.Limit, list.Total, pages)
			}
			for _, song := range list.Songs {
				ids[song.ID] = true
			}
			links := parseLinks(got.header.Get("Link"))
			if links["first"] != h.url+"/api/songs?page=1&limit=20" ||
				links["last"] != h.url+"/api/songs?page=5&limit=20" || (links["prev"] == "") != (pages == 1) {
				t.Errorf("page %d: got links %v, want first, last and, except on page 1, prev", pages, links)
			}
			if links["next"] == "" {
				if pages != 5 {
					t.Errorf("got %d pages, want 5", pages)
				}
				break
			}
			path = strings.TrimPrefix(links["next"], h.url)
		}
		if len(ids) != 95 {
			t.Errorf("songs on all pages: got %d, want 95", len(ids))
		}
		var past catalogapi.SongList
		h.get(t, "/api/songs?page=9007199254740991&limit=200").is(t, 200, &past)
		if past.Songs == nil || len(past.Songs) != 0 || past.Total != 95 || past.Page != 9007199254740991 {
			t.Errorf("page past the end: got %+v, want no songs", past)
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

func TestInvalidNumbersNameTheParameterAndItsRange(t *testing.T) {
	h := start(t, 1)
	for _, path := range []string{
		"/api/songs", "/api/playlists", "/api/artists", "/api/albums", "/api/artists/guest/songs",
		"/api/users/ann/playlists",
	} {
		for _, bad := range []string{
			"0", "-1", "abc", "1.5", "", "+1", "0x1", "1e3", "%20", "201", "99999999999999999999", "1&limit=2", "%00",
			"ⅷ",
		} {
			got := h.get(t, path+"?limit="+bad)
			if got.status != 400 || !strings.Contains(got.body, "limit must be a whole number from 1 to 200") {
				t.Errorf("%s?limit=%s: got %d %s, want 400 and the range of limit", path, bad, got.status, got.body)
			}
			if bad == "201" {
				continue
			}
			got = h.get(t, path+"?page="+strings.ReplaceAll(bad, "limit", "page"))
			if got.status != 400 || !strings.Contains(got.body, "page must be a whole number from 1 to") {
				t.Errorf("%s?page=%s: got %d %s, want 400 and the range of page", path, bad, got.status, got.body)
			}
		}
	}
	for _, bad := range []string{"0", "101", "x"} {
		got := h.get(t, "/api/songs/trending?limit="+bad)
		if got.status != 400 || !strings.Contains(got.body, "from 1 to 100") {
			t.Errorf("trending?limit=%s: got %d %s, want 400 and the range", bad, got.status, got.body)
		}
	}
	if got := h.get(t, "/api/songs?limit=5&limit=%zz"); got.status != 400 {
		t.Errorf("malformed query: got %d, want 400", got.status)
	}
}

func TestUnknownResourcesAre404(t *testing.T) {
	h := start(t, 1)
	for _, path := range []string{
		"/api/songs/so_0000000000000000000000", "/api/songs/x", "/api/songs/" + h.ids[0] + "x",
		"/api/albums/al_0000000000000000000000", "/api/artists/nobody-here",
		"/api/artists/ar_0000000000000000000000", "/api/artists/" + h.ids[0], "/api/users/nobody",
		"/api/users/us_0000000000000000000000",
		"/api/playlists/pl_0000000000000000000000", "/api/playlists/pl_0000000000000000000000/songs",
		"/api/songs/so_0000000000000000000000/stream",
		"/api/songs/so_0000000000000000000000/link",
		"/api/songs/so_0000000000000000000000/lyrics", "/api/songs/x/lyrics",
		"/api", "/api/nothing", "/media/covers/0011223344556677",
		"/media/covers/x",
	} {
		if got := h.get(t, path); got.status != 404 || !strings.HasPrefix(got.body, `{"error":"`) {
			t.Errorf("%s: got %d %s, want 404", path, got.status, got.body)
		}
	}
	if got := h.do(t, "both", "PUT", "/api/songs", ""); got.status != 405 || got.header.Get("Allow") != "GET, HEAD" {
		t.Errorf("PUT: got %d, Allow %q; want 405 with Allow", got.status, got.header.Get("Allow"))
	}
}

func TestTrendingChangesWithEachPlay(t *testing.T) {
	onBoth(t, 30, func(t *testing.T, h *fixture) {
		for i, id := range []string{h.ids[7], h.ids[3], h.ids[3]} {
			at := time.Now().Add(-time.Duration(i) * time.Hour).UTC().Format(time.RFC3339)
			play := fmt.Sprintf(`{"song_id":%q,"played_at":%q}`, id, at)
			h.do(t, "write", "POST", "/api/plays", play, "Idempotency-Key", fmt.Sprint("k", i)).is(t, 200, nil)
			var got catalogapi.Trending
			h.get(t, "/api/songs/trending").is(t, 200, &got)
			want := []string{h.ids[7], h.ids[7], h.ids[3]}[i]
			if len(got.Songs) != 20 || got.Songs[0].ID != want {
				t.Errorf("after play %d: got %d songs, first %s; want 20, first %s", i, len(got.Songs), got.Songs[0].ID, want)
			}
		}
		var song catalogapi.SongReply
		h.get(t, "/api/songs/"+h.ids[3]).is(t, 200, &song)
		if song.Song.PlayCount != 2 {
			t.Errorf("got %d plays, want 2", song.Song.PlayCount)
		}
	})
}

func TestETagsChangeWithTheRevision(t *testing.T) {
	onBoth(t, 60, func(t *testing.T, h *fixture) {
		paths := []string{
			"/api/songs", "/api/songs?page=2", "/api/songs/" + h.ids[0], "/api/songs/trending", "/api/artists",
			"/api/artists/guest", "/api/albums", "/api/playlists", "/api/users/ann", "/api/search?q=song",
		}
		tags := map[string]string{}
		for _, path := range paths {
			got := h.get(t, path).is(t, 200, nil)
			tags[path] = got.header.Get("ETag")
			if got.header.Get("Cache-Control") != "private, no-cache" ||
				!strings.Contains(got.header.Get("Vary"), "X-Api-Key") || tags[path] == "" {
				t.Errorf("%s: got headers %v, want private, no-cache, Vary and an ETag", path, got.header)
			}
			again := h.get(t, path, "If-None-Match", `"other", `+tags[path])
			if again.status != 304 || again.body != "" || again.header.Get("ETag") != tags[path] {
				t.Errorf("%s with its ETag: got %d %s, want 304", path, again.status, again.body)
			}
		}
		got := h.get(t, "/api/songs/so_0000000000000000000000", "If-None-Match", tags["/api/songs/"+h.ids[0]])
		if got.status != 404 {
			t.Errorf("ETag of another song: got %d, want 404", got.status)
		}
		if got := h.do(t, "", "GET", "/api/songs", "", "If-None-Match", tags["/api/songs"]); got.status != 401 {
			t.Errorf("ETag without a key: got %d, want 401", got.status)
		}
		bobs := h.do(t, "bob", "GET", "/api/playlists", "", "If-None-Match", tags["/api/playlists"])
		if bobs.status != 200 {
			t.Errorf("ETag of another owner: got %d, want 200", bobs.status)
		}
		h.add(t, 1000, 1)
		for _, path := range paths {
			if got := h.get(t, path, "If-None-Match", tags[path]); got.status != 200 || got.header.Get("ETag") == tags[path] {
				t.Errorf("%s after a change: got %d, ETag %s; want 200 and a new ETag", path, got.status, got.header.Get("ETag"))
			}
		}
	})
}

func TestBodiesAreGzippedOnRequest(t *testing.T) {
	h := start(t, 60)
	plain := h.get(t, "/api/songs").is(t, 200, nil)
	for _, accept := range []string{"gzip", "br, gzip;q=0.5", "GZIP"} {
		zipped := h.get(t, "/api/songs", "Accept-Encoding", accept)
		if zipped.header.Get("Content-Encoding") != "gzip" || len(zipped.body) > len(plain.body)/3 {
			t.Errorf("Accept-Encoding %s: got encoding %q, %d of %d bytes; want gzip, at most a third",
				accept, zipped.header.Get("Content-Encoding"), len(zipped.body), len(plain.body))
		}
	}
	for _, accept := range []string{"", "br", "gzip;q=0", "identity"} {
		got := h.get(t, "/api/songs", "Accept-Encoding", accept)
		if got.header.Get("Content-Encoding") != "" || got.body != plain.body {
			t.Errorf("Accept-Encoding %q: got encoding %q, want none and the plain body",
				accept, got.header.Get("Content-Encoding"))
		}
	}
	head := h.do(t, "read", "HEAD", "/api/songs", "")
	if head.status != 200 || head.header.Get("Content-Length") != fmt.Sprint(len(plain.body)) ||
		head.header.Get("ETag") != plain.header.Get("ETag") {
		t.Errorf("HEAD: got %d %v, want the headers of GET", head.status, head.header)
	}
}

func TestHealthScanAndUnavailableSongs(t *testing.T) {
	h := start(t, 1)
	for path, want := range map[string]string{
		"/health": `"running"`, "/ready": `"ready"`, "/metrics": "waxwing_http_requests_total",
		"/openapi.yaml": "openapi: 3.1.0", "/docs": "<!doctype html>",
	} {
		got := h.do(t, "", http.MethodGet, path, "")
		if got.status != 200 || !strings.Contains(strings.ToLower(got.body), strings.ToLower(want)) {
			t.Errorf("%s: got %d %.200s, want 200 and %s", path, got.status, got.body, want)
		}
	}
	var scan catalogapi.ScanReply
	h.get(t, "/api/scan").is(t, 200, &scan)
	if scan.Scan.Running || scan.Scan.StartedAt != nil {
		t.Errorf("got scan %+v, want none", scan.Scan)
	}
	var folders catalogapi.FolderList
	h.get(t, "/api/folders").is(t, 200, &folders)
	want := []catalogapi.Folder{{Name: filepath.Base(h.music), SongCount: 1}}
	if !slices.Equal(folders.Folders, want) {
		t.Errorf("got folders %+v, want %+v", folders.Folders, want)
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
		t.Error("availability of a song with a missing file: got true, want false")
	}
	if got := h.get(t, "/api/songs/"+h.ids[0]+"/stream"); got.status != 404 {
		t.Errorf("stream of a missing file: got %d, want 404", got.status)
	}
	if got := h.get(t, "/api/songs/"+h.ids[0]+"/link"); got.status != 404 {
		t.Errorf("link to a missing file: got %d, want 404", got.status)
	}
}

// A word with punctuation inside counts as its parts and as the whole.
func TestSearchRefusesTooManyTerms(t *testing.T) {
	h := start(t, 1)
	var refused catalogapi.Error
	h.get(t, "/api/search?q=a"+strings.Repeat("-b", 59)).is(t, 400, &refused)
	if want := "q has 61 search terms; use at most 32"; refused.Error != want {
		t.Errorf("got %q, want %q", refused.Error, want)
	}
	h.get(t, "/api/search?q=a"+strings.Repeat("-b", 30)).is(t, 200, nil)
	h.get(t, "/api/search?q="+strings.Repeat("word+", 32)).is(t, 200, nil)
}
