package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// catalogClient is a client of the catalog API with a key.
type catalogClient struct {
	*server
	base string
	key  string
}

// catalogClient creates a key with the permissions and returns a client that uses it.
func (s *server) catalogClient(permissions ...string) *catalogClient {
	s.t.Helper()
	args := []string{"key", "create", "--name", "e2e"}
	for _, p := range permissions {
		args = append(args, "--permission", p)
	}
	secret, errs, code := s.run(args...)
	if code != 0 || !regexp.MustCompile(`^wxk_[0-9A-Za-z]{36}\n$`).MatchString(secret) {
		s.t.Fatalf("key create: got exit code %d, output %q, errors %q; want a key", code, secret, errs)
	}
	return &catalogClient{s, s.catalog, strings.TrimSpace(secret)}
}

// do sends a request with the key.
func (c *catalogClient) do(method, path, body string, header ...string) reply {
	c.t.Helper()
	header = append([]string{"x-api-key", c.key}, header...)
	if body != "" {
		header = append([]string{"Content-Type", "application/json"}, header...)
	}
	return send(c.t, method, c.base+path, body, header...)
}

// read requests a path, which must succeed, and decodes the reply.
func (c *catalogClient) read(path string) map[string]any {
	c.t.Helper()
	r := c.do("GET", path, "")
	if r.status != 200 {
		c.t.Fatalf("GET %s: got %d %s, want 200", path, r.status, r.body)
	}
	return r.json(c.t)
}

// object returns the object at a path of keys within v.
func object(v any, path ...string) map[string]any {
	m := v.(map[string]any)
	for _, p := range path {
		m = m[p].(map[string]any)
	}
	return m
}

const (
	songFields = "id:s title:s artist:s artist_id:s artists:a album:s album_id:s track_number:i disc_number:? " +
		"duration:i year:i genre:s explicit:? cover_url:u thumbnail_url:u stream_url:u format:s bitrate:i play_count:i " +
		"available:b created_at:t updated_at:t"
	playlistFields = "id:s name:s description:? owner:o public:b song_count:i duration:i cover_url:u thumbnail_url:u " +
		"created_at:t updated_at:t"
	artistFields = "id:s username:s name:s bio:? image_url:u song_count:i album_count:i play_count:i created_at:t " +
		"updated_at:t"
	userFields = "id:s username:s name:s profile_image_url:u bio:? playlist_count:i created_at:t"
)

// TestCatalogReads checks the fields of every read endpoint of the catalog.
func TestCatalogReads(t *testing.T) {
	s := start(t)
	c := s.catalogClient()
	// Wait for the end of the scan: its last playlists change the ETags again.
	s.eventually(20*time.Second, "the scan", func() bool {
		done, err := s.tryMetrics(`waxwing_scan_runs_total{result="done"}`)
		return err == nil && done[0] > 0
	})
	if total := c.read("/api/songs")["total"]; total != 14.0 {
		t.Fatalf("songs: got %v, want 14", total)
	}

	for path, fields := range map[string]string{"songs": songFields, "playlists": playlistFields,
		"artists": artistFields} {
		if path == "playlists" {
			continue // the demo's playlist is private; one is created below
		}
		page := c.read("/api/" + path)
		wantFields(t, path, page, path+":a page:i limit:i total:i")
		if page["page"] != 1.0 || page["limit"] != 50.0 {
			t.Errorf("%s: got page %v, limit %v; want the defaults 1, 50", path, page["page"], page["limit"])
		}
		for _, item := range page[path].([]any) {
			wantFields(t, path, object(item), fields)
			one := c.read("/api/" + path + "/" + object(item)["id"].(string))
			if got, want := object(one)[strings.TrimSuffix(path, "s")], item; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: got %v, want %v as in the list", path, got, want)
			}
		}
	}
	artist := object(c.read("/api/artists")["artists"].([]any)[0])
	byName := c.read("/api/artists/" + strings.ToUpper(artist["username"].(string)))
	if object(byName, "artist")["id"] != artist["id"] {
		t.Errorf("artist by username: got %v, want id %v", byName, artist["id"])
	}
	me := object(s.get("/user/public"), "user")
	wantFields(t, "user", object(c.read("/api/users/"+me["username"].(string)), "user"), userFields)
	if n := len(c.read("/api/songs/trending")["songs"].([]any)); n != 14 {
		t.Errorf("trending songs: got %d, want 14", n)
	}

	// Pages: every song once, in a fixed order, with links.
	listed := map[string]bool{}
	for page := 1; ; page++ {
		r := c.do("GET", fmt.Sprintf("/api/songs?page=%d&limit=5", page), "")
		songs := r.json(t)["songs"].([]any)
		for _, song := range songs {
			id := object(song)["id"].(string)
			if listed[id] {
				t.Errorf("song %s is on two pages, want one", id)
			}
			listed[id] = true
		}
		if link := r.header.Get("Link"); page == 2 && !(strings.Contains(link, `rel="first"`) &&
			strings.Contains(link, `rel="prev"`) && strings.Contains(link, `rel="next"`) &&
			strings.Contains(link, `rel="last"`)) {
			t.Errorf("Link of page 2: got %s, want first, prev, next and last", link)
		}
		if len(songs) == 0 {
			break
		}
	}
	if len(listed) != 14 {
		t.Errorf("songs on all pages: got %d, want 14", len(listed))
	}

	// Caching.
	first := c.do("GET", "/api/songs", "")
	etag := first.header.Get("ETag")
	if r := c.do("GET", "/api/songs", "", "If-None-Match", etag); etag == "" || r.status != 304 || len(r.body) != 0 ||
		r.header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("request with ETag %q: got %d, header %v; want 304 without a body", etag, r.status, r.header)
	}

	// Invalid input and invalid credentials.
	for path, status := range map[string]int{
		"/api/songs?page=0": 400, "/api/songs?limit=201": 400, "/api/songs?limit=x": 400, "/api/songs?page=-1": 400,
		"/api/songs/trending?limit=101":        400,
		"/api/songs?page=99999999999999999999": 400, "/api/songs/so_nope": 404, "/api/playlists/pl_nope": 404,
		"/api/artists/nobody-here": 404, "/api/users/nobody": 404, "/api/nope": 404,
		"/api/songs/%00": 404, "/api/users/..%2f..%2fetc": 404, "/api/artists/x'%20OR%201=1--": 404,
	} {
		r := c.do("GET", path, "")
		if r.status != status || !r.isError(t) {
			t.Errorf("GET %s: got %d %s, want %d and an error", path, r.status, r.body, status)
		}
	}
	for _, h := range [][]string{{"x-api-key", ""}, {"x-api-key", "wxk_nonsense"},
		{"x-api-key", "", "Authorization", "Bearer " + c.key}} {
		if r := c.do("GET", "/api/songs", "", h...); r.status != 401 || r.header.Get("WWW-Authenticate") == "" {
			t.Errorf("header %v: got %d %s, want 401 with WWW-Authenticate", h, r.status, r.body)
		}
	}
	if r := send(t, "GET", c.base+"/api/songs?x-api-key="+c.key+"&api_key="+c.key, ""); r.status != 401 {
		t.Errorf("key in the URL: got %d, want 401", r.status)
	}
	if r := c.do("POST", "/api/playlists", `{"name":"x"}`); r.status != 403 {
		t.Errorf("write with a read key: got %d %s, want 403", r.status, r.body)
	}
	if r := c.do("DELETE", "/api/songs", ""); r.status != 405 || !strings.Contains(r.header.Get("Allow"), "GET") {
		t.Errorf("DELETE /api/songs: got %d, header %v; want 405 with Allow", r.status, r.header)
	}
}

// TestCatalogMedia streams songs with a key and with a signed link, using curl and ffmpeg.
func TestCatalogMedia(t *testing.T) {
	testenv.NeedsTool(t, "ffmpeg", "ffprobe", "curl")
	s := start(t)
	c := s.catalogClient()
	s.eventually(20*time.Second, "the scan", func() bool { return c.read("/api/songs")["total"] == 14.0 })
	songs := c.read("/api/songs")["songs"].([]any)
	for _, v := range songs {
		song := object(v)
		link := c.read("/api/songs/" + song["id"].(string) + "/link")
		wantFields(t, "link", link, "url:u expires_at:t")
		out, err := exec.Command("ffprobe", "-v", "error", "-show_entries", "format=duration:stream=codec_name",
			"-of", "json", link["url"].(string)).Output()
		var probed struct {
			Streams []struct {
				Codec string `json:"codec_name"`
			}
			Format struct{ Duration string }
		}
		if err != nil || json.Unmarshal(out, &probed) != nil || len(probed.Streams) == 0 {
			t.Fatalf("ffprobe of %v: got error %v, output %s; want a stream", song["title"], err, out)
		}
		var sec float64
		_, _ = fmt.Sscan(probed.Format.Duration, &sec)
		if ms := song["duration"].(float64); sec*1000 < ms-100 || sec*1000 > ms+100 {
			t.Errorf("duration of %v: got %v ms, want %v s as of ffprobe", song["title"], ms, sec)
		}
	}
	song, other := object(songs[0]), object(songs[1])
	whole, err := exec.Command("curl", "-sf", "-H", "x-api-key: "+c.key, song["stream_url"].(string)).Output()
	if err != nil || len(whole) < 10_000 {
		t.Fatalf("curl of a song: got %d bytes, error %v; want at least 10000", len(whole), err)
	}
	part, err := exec.Command("curl", "-sf", "-r", "1000-1999", "-H", "x-api-key: "+c.key,
		song["stream_url"].(string)).Output()
	if err != nil || !bytes.Equal(part, whole[1000:2000]) {
		t.Errorf("curl -r 1000-1999: got %d bytes, error %v; want these bytes of the file", len(part), err)
	}
	if r := c.do("HEAD", "/api/songs/"+song["id"].(string)+"/stream", ""); r.status != 200 ||
		r.header.Get("Content-Length") != fmt.Sprint(len(whole)) || r.header.Get("Accept-Ranges") != "bytes" ||
		!strings.HasPrefix(r.header.Get("Content-Type"), "audio/") {
		t.Errorf("HEAD of a stream: got %d, header %v; want 200, length %d, ranges, an audio type",
			r.status, r.header, len(whole))
	}
	// A signature is valid for its own song, unchanged, until it expires.
	signed, err := url.Parse(c.read("/api/songs/" + song["id"].(string) + "/link")["url"].(string))
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, f func(u *url.URL, q url.Values), want int) {
		t.Helper()
		u := *signed
		q := u.Query()
		f(&u, q)
		u.RawQuery = q.Encode()
		if r := send(t, "GET", u.String(), "", "Range", "bytes=0-9"); r.status != want {
			t.Errorf("%s: got %d %.100s, want %d", what, r.status, r.body, want)
		}
	}
	check("unchanged link", func(*url.URL, url.Values) {}, 206)
	check("link of another song", func(u *url.URL, _ url.Values) { u.Path = "/media/songs/" + other["id"].(string) }, 403)
	for name := range signed.Query() {
		check("changed "+name, func(_ *url.URL, q url.Values) {
			v := []byte(q.Get(name))
			v[len(v)-1] ^= 1
			q.Set(name, string(v))
		}, 403)
		check("without "+name, func(_ *url.URL, q url.Values) { q.Del(name) }, 403)
	}
}

// TestCatalogWrites creates a playlist and plays, and reads both as two users.
func TestCatalogWrites(t *testing.T) {
	s := start(t)
	c := s.catalogClient("read", "write")
	s.eventually(20*time.Second, "the scan", func() bool { return c.read("/api/songs")["total"] == 14.0 })
	songs := c.read("/api/songs")["songs"].([]any)
	id := func(i int) string { return object(songs[i])["id"].(string) }

	created := c.do("POST", "/api/playlists",
		fmt.Sprintf(`{"name":"Mine","song_ids":[%q,%q,%q]}`, id(0), id(1), id(0)))
	if created.status != 200 {
		t.Fatalf("create a playlist: got %d %s, want 200", created.status, created.body)
	}
	list := object(created.json(t), "playlist")
	wantFields(t, "playlist", list, playlistFields)
	path := "/api/playlists/" + list["id"].(string)
	entries := c.read(path + "/songs")["songs"].([]any)
	if len(entries) != 3 || object(entries[2])["id"] != id(0) || object(entries[2])["position"] != 2.0 {
		t.Errorf("entries: got %v, want 3, the last at position 2 with id %s", entries, id(0))
	}
	wantFields(t, "entry", object(entries[0]), songFields+" position:i added_at:t")

	if _, errs, code := s.run("user", "create", "eve"); code != 0 {
		t.Fatalf("user create: got exit code %d, errors %q; want 0", code, errs)
	}
	secret, _, _ := s.run("key", "create", "--name", "eve", "--user", "eve",
		"--permission", "read", "--permission", "write")
	eve := &catalogClient{s, c.base, strings.TrimSpace(secret)}
	for _, r := range []reply{eve.do("GET", path, ""), eve.do("GET", path+"/songs", ""), eve.do("DELETE", path, ""),
		eve.do("PATCH", path, `{"name":"x"}`)} {
		if r.status != 404 {
			t.Errorf("private playlist of another user: got %d %s, want 404", r.status, r.body)
		}
	}
	if r := c.do("PATCH", path, `{"public":true}`); r.status != 200 {
		t.Errorf("publish a playlist: got %d %s, want 200", r.status, r.body)
	}
	if r := eve.do("GET", path, ""); r.status != 200 {
		t.Errorf("public playlist of another user: got %d, want 200", r.status)
	}
	if r := eve.do("DELETE", path, ""); r.status != 403 && r.status != 404 {
		t.Errorf("delete a playlist of another user: got %d, want 403 or 404", r.status)
	}

	// A play counts once per idempotency key, and trending changes immediately.
	play := fmt.Sprintf(`{"song_id":%q}`, id(5))
	for range 3 {
		if r := c.do("POST", "/api/plays", play, "Idempotency-Key", "one"); r.status != 200 {
			t.Fatalf("POST /api/plays: got %d %s, want 200", r.status, r.body)
		}
	}
	c.do("POST", "/api/plays", play, "Idempotency-Key", "two") // within 30 minutes of the first
	top := object(c.read("/api/songs/trending?limit=1")["songs"].([]any)[0])
	if top["id"] != id(5) || top["play_count"] != 1.0 {
		t.Errorf("first of trending: got %v, want id %s with 1 play", top, id(5))
	}
	if r := c.do("POST", "/api/plays", `{"song_id":"so_nope"}`); r.status != 404 {
		t.Errorf("play of an unknown song: got %d, want 404", r.status)
	}
	if r := c.do("DELETE", path, ""); r.status != 200 || c.do("GET", path, "").status != 404 {
		t.Errorf("delete a playlist: got %d, want 200, and then 404", r.status)
	}
}

// TestBackupRestoresIds: everything acknowledged before the backup exists after the restore, with
// the same ids.
func TestBackupRestoresIds(t *testing.T) {
	s := start(t)
	c := s.catalogClient("read", "write")
	s.eventually(20*time.Second, "the scan", func() bool { return c.read("/api/songs")["total"] == 14.0 })
	before := fmt.Sprint(c.read("/api/songs")["songs"])
	created := c.do("POST", "/api/playlists", `{"name":"Kept"}`)
	file := filepath.Join(t.TempDir(), "b.tar")
	if _, errs, code := s.run("backup", "create", file); code != 0 {
		t.Fatalf("backup create: got exit code %d, errors %q; want 0", code, errs)
	}
	if _, errs, code := s.run("backup", "restore", file); code == 0 {
		t.Fatalf("backup restore with a running server: got exit code 0, errors %q; want a failure", errs)
	}
	s.stop()
	if err := os.Remove(filepath.Join(s.dir, "catalog.db")); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := s.run("backup", "restore", file); code != 0 {
		t.Fatalf("backup restore: got exit code %d, errors %q; want 0", code, errs)
	}
	s.start()
	old := c.base
	c.base = s.catalog
	s.eventually(20*time.Second, "the scan", func() bool { return c.read("/api/songs")["total"] == 14.0 })
	if after := strings.ReplaceAll(fmt.Sprint(c.read("/api/songs")["songs"]), c.base, old); after != before {
		t.Errorf("songs after the restore\n got %s\nwant %s", after, before)
	}
	if r := c.do("GET", "/api/playlists/"+object(created.json(t), "playlist")["id"].(string), ""); r.status != 200 {
		t.Errorf("playlist after the restore: got %d, want 200", r.status)
	}
	damaged := filepath.Join(t.TempDir(), "damaged.tar")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(damaged, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := command(t, s.env, "backup", "verify", damaged); code == 0 ||
		!strings.Contains(errs, "not a complete backup") {
		t.Errorf("backup verify of a damaged file: got exit code %d, errors %q; want %q", code, errs,
			"not a complete backup")
	}
}
