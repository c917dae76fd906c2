package app_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/client"
	"waxwing/internal/app"
	"waxwing/internal/demo"
	"waxwing/internal/library/s3"
	"waxwing/internal/testenv"
	"waxwing/internal/testenv/s3server"
)

// bucketApp is a process whose music is in a bucket behind a proxy.
type bucketApp struct {
	*app.App
	t       *testing.T
	server  *s3server.Server
	gate    *s3server.Gate
	proxy   *testenv.Proxy
	log     *testenv.Buffer
	catalog *client.Catalog
	owner   *client.Catalog
	key     string
	songs   map[string]string // ids by title
	files   map[string][]byte // content by title
}

// upWithBucket starts a process over a bucket with the songs of two demo albums.
func upWithBucket(t *testing.T, set func(*app.Config)) *bucketApp {
	t.Helper()
	b := &bucketApp{t: t, server: s3server.Start(t), log: &testenv.Buffer{}, songs: map[string]string{},
		files: map[string][]byte{}}
	for name, title := range map[string]string{
		"Lumen Atlas/Slow Weather/02 Ebb.flac": "Ebb", "Trio Halvmåne/Lamplight/01 Lamplight Waltz.mp3": "Lamplight Waltz",
	} {
		content, err := fs.ReadFile(demo.FS(), name)
		if err != nil {
			t.Fatal(err)
		}
		b.server.Put("library/"+name, content)
		b.files[title] = content
	}
	b.gate = b.server.NewGate(t, false)
	b.proxy = testenv.NewProxy(t, b.gate.Addr)
	cfg := config(t)
	cfg.Log = slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	cfg.Catalog.Music = []string{"s3://music/library"}
	cfg.Catalog.S3 = s3.Config{
		Endpoint: "http://" + b.proxy.Addr(), PathStyle: true,
		CredentialsFile: s3server.CredentialsFile(t, s3server.AccessKey, s3server.SecretKey),
	}
	if set != nil {
		set(&cfg)
	}
	b.App = up(t, cfg)
	b.owner = (&client.Player{BaseURL: b.PlayerURL, Token: ownerToken(t, cfg.DataDir)}).Catalog()
	key, err := b.owner.CreateKey(t.Context(),
		catalogapi.KeyRequest{Name: "test", Permissions: []string{"read"}})
	if err != nil {
		t.Fatal(err)
	}
	b.key = key.Secret
	b.catalog = &client.Catalog{BaseURL: b.CatalogURL, Key: b.key}
	testenv.WaitFor(t, "the bucket is scanned", func() bool {
		page, err := b.catalog.Songs(t.Context(), 1, 50)
		if err != nil || len(page.Songs) != len(b.files) {
			return false
		}
		for _, song := range page.Songs {
			b.songs[song.Title] = song.ID
		}
		return true
	})
	return b
}

// get requests a song of the catalog with the given headers, and follows no redirect.
func (b *bucketApp) get(method, title string, headers ...string) (*http.Response, []byte) {
	b.t.Helper()
	return b.send(method, b.CatalogURL+"/api/songs/"+b.songs[title]+"/stream", append(headers, "X-Api-Key", b.key)...)
}

func (b *bucketApp) send(method, url string, headers ...string) (*http.Response, []byte) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, url, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return resp, body
}

// TestSongsOfABucketAreServedLikeFiles requests songs in all ways, and lets the storage fail.
func TestSongsOfABucketAreServedLikeFiles(t *testing.T) {
	b := upWithBucket(t, nil)
	content := b.files["Ebb"]
	whole, body := b.get("GET", "Ebb")
	etag := whole.Header.Get("ETag")
	if whole.StatusCode != 200 || !bytes.Equal(body, content) || len(etag) != 34 ||
		whole.Header.Get("Content-Type") != "audio/flac" {
		t.Fatalf("whole song: got %d, %d bytes, %v; want 200, %d bytes and the MD5 as ETag", whole.StatusCode, len(body),
			whole.Header, len(content))
	}
	for _, c := range []struct {
		name, method string
		headers      []string
		status       int
		body         []byte
	}{
		{"range", "GET", []string{"Range", "bytes=1000-1999"}, 206, content[1000:2000]},
		{"open range", "GET", []string{"Range", "bytes=700000-"}, 206, content[700000:]},
		{"suffix", "GET", []string{"Range", "bytes=-500"}, 206, content[len(content)-500:]},
		{"past the end", "GET", []string{"Range", "bytes=99999999-"}, 416, nil},
		{"head", "HEAD", nil, 200, []byte{}},
		{"not modified", "GET", []string{"If-None-Match", etag}, 304, []byte{}},
		{"range of this version", "GET", []string{"Range", "bytes=5-9", "If-Range", etag}, 206, content[5:10]},
		{"range of another version", "GET", []string{"Range", "bytes=5-9", "If-Range", `"other"`}, 200, content},
		{"another version", "GET", []string{"If-Match", `"other"`}, 412, nil},
	} {
		resp, got := b.get(c.method, "Ebb", c.headers...)
		if resp.StatusCode != c.status || c.body != nil && !bytes.Equal(got, c.body) ||
			c.status/100 == 2 && resp.Header.Get("ETag") != etag {
			t.Errorf("%s: got %d, %d bytes, ETag %s; want %d, %d bytes, ETag %s", c.name, resp.StatusCode, len(got),
				resp.Header.Get("ETag"), c.status, len(c.body), etag)
		}
	}
	if resp, got := b.get("GET", "Ebb", "Range", "bytes=0-9,100-109"); resp.StatusCode != 206 ||
		!bytes.Contains(got, content[100:110]) {
		t.Errorf("two ranges: got %d, %d bytes; want 206 with both", resp.StatusCode, len(got))
	}
	link, err := b.catalog.Link(t.Context(), b.songs["Ebb"])
	if err != nil {
		t.Fatal(err)
	}
	if resp, got := b.send("GET", link.URL); resp.StatusCode != 200 || !bytes.Equal(got, content) {
		t.Errorf("signed link: got %d, %d bytes; want 200, %d bytes", resp.StatusCode, len(got), len(content))
	}

	app := true
	key, err := b.owner.CreateKey(t.Context(),
		catalogapi.KeyRequest{Name: "app", Permissions: []string{"read"}, App: &app})
	if err != nil {
		t.Fatal(err)
	}
	rest := b.CatalogURL + "/rest/stream?f=json&v=1.16.1&c=test&apiKey=" + key.Secret + "&id=" + b.songs["Ebb"]
	if resp, got := b.send("GET", rest, "Range", "bytes=10-99"); resp.StatusCode != 206 ||
		!bytes.Equal(got, content[10:100]) || resp.Header.Get("ETag") != etag {
		t.Errorf("stream of an app: got %d, %d bytes, ETag %s; want 206, 90 bytes, %s", resp.StatusCode, len(got),
			resp.Header.Get("ETag"), etag)
	}

	b.server.Kill()
	resp, got := b.get("GET", "Ebb")
	if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || !bytes.Contains(got, []byte("does not reply")) {
		t.Errorf("without a storage: got %d, Retry-After %q, %s; want 503", resp.StatusCode,
			resp.Header.Get("Retry-After"), got)
	}
	if resp, _ := b.send("GET", b.CatalogURL+"/api/songs", "X-Api-Key", b.key); resp.StatusCode != 200 {
		t.Errorf("list of songs without a storage: got %d, want 200", resp.StatusCode)
	}
	metrics := func() string { _, text := b.send("GET", b.MetricsURL+"/metrics"); return string(text) }
	if text := metrics(); !strings.Contains(text, `waxwing_storage_up{bucket="s3://music/library"} 0`) {
		t.Errorf("metrics without a storage do not tell: %s", grep(text, "waxwing_storage"))
	}
	for _, url := range []string{b.CatalogURL, b.MetricsURL} {
		resp, got := b.send("GET", url+"/ready")
		if resp.StatusCode != 200 || !bytes.Contains(got, []byte("does not reply")) {
			t.Errorf("%s/ready without a storage: got %d %s, want 200 with a sentence", url, resp.StatusCode, got)
		}
	}
	b.server.Run()
	back := time.Now()
	testenv.WaitFor(t, "the storage is used again", func() bool {
		resp, _ := b.get("GET", "Ebb")
		return resp.StatusCode == 200
	})
	if took := time.Since(back); took > 5*time.Second {
		t.Errorf("healed after %v, want at most 5 s", took)
	}
	if text := metrics(); !strings.Contains(text, `waxwing_storage_up{bucket="s3://music/library"} 1`) {
		t.Errorf("metrics with a storage do not tell: %s", grep(text, "waxwing_storage"))
	}
	if _, got := b.send("GET", b.CatalogURL+"/ready"); !bytes.Contains(got, []byte(`"storage":null`)) {
		t.Errorf("/ready with a storage: got %s, want null as storage", got)
	}
	b.server.Remove("library/Lumen Atlas/Slow Weather/02 Ebb.flac")
	if resp, got := b.get("GET", "Ebb"); resp.StatusCode != 404 || !bytes.Contains(got, []byte("missing")) {
		t.Errorf("an object that vanished: got %d %s, want 404", resp.StatusCode, got)
	}
	for _, secret := range []string{s3server.SecretKey, s3server.AccessKey, "X-Amz-Signature"} {
		if strings.Contains(b.log.String(), secret) || strings.Contains(metrics(), secret) {
			t.Errorf("%s is in the log or the metrics", secret)
		}
	}
}

// TestRequestsToTheStorageEndWithTheClient requests a long song and leaves.
func TestRequestsToTheStorageEndWithTheClient(t *testing.T) {
	b := upWithBucket(t, nil)
	const size = 64 << 20 // more than all buffers on the way
	b.server.Put("library/Lumen Atlas/Slow Weather/02 Ebb.flac", append(b.files["Ebb"], make([]byte, size)...))
	before := b.gate.Ended()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	req, err := http.NewRequestWithContext(ctx, "GET", b.CatalogURL+"/api/songs/"+b.songs["Ebb"]+"/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", b.key)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.CopyN(io.Discard, resp.Body, 1<<20); err != nil || resp.ContentLength < size {
		t.Fatalf("got %d bytes, %v; want a song of more than %d bytes", resp.ContentLength, err, size)
	}
	leave()
	testenv.WaitFor(t, "the request to the storage ends", func() bool { return b.gate.Ended() > before })
}

// TestFailingStorageIsReportedAndHeals: while the storage fails, songs are a 503 with a sentence,
// and everything else is served. When it is back, so are the songs.
func TestFailingStorageIsReportedAndHeals(t *testing.T) {
	var credentials string
	b := upWithBucket(t, func(c *app.Config) {
		c.Catalog.S3.Timeout = time.Second
		credentials = c.Catalog.S3.CredentialsFile
	})
	tally := testenv.Tally{}
	violate := func(format string, args ...any) {
		t.Helper()
		tally.Violations++
		t.Errorf(format, args...)
	}
	slowest := time.Duration(0)
	for _, fault := range []struct {
		name, sentence string
		fail, heal     func()
	}{
		{"silent", "does not reply", func() { b.proxy.Blackhole(true) }, func() { b.proxy.Blackhole(false) }},
		{"cut off", "does not reply", b.proxy.Cut, b.proxy.Restore},
		{"killed", "does not reply", b.server.Kill, b.server.Run},
		{
			"overloaded", "has a problem (503)",
			func() { b.gate.Fail(503, "SlowDown") }, b.gate.Heal,
		},
		{
			"expired", "have expired",
			func() { b.gate.Fail(400, "ExpiredToken") }, b.gate.Heal,
		},
		{
			"refusing", "refuses the credentials",
			func() { s3server.WriteCredentials(t, credentials, s3server.AccessKey, "wrong-secret") },
			func() { s3server.WriteCredentials(t, credentials, s3server.AccessKey, s3server.SecretKey) },
		},
	} {
		fault.fail()
		tally.Faults++
		var resp *http.Response
		var body []byte
		testenv.WaitFor(t, "the storage fails", func() bool { // credentials are compared each second
			resp, body = b.get("GET", "Ebb")
			return resp.StatusCode != 200
		})
		if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || !bytes.Contains(body, []byte(fault.sentence)) {
			violate("%s: got %d, Retry-After %q, %s; want 503 and a sentence with %q", fault.name, resp.StatusCode,
				resp.Header.Get("Retry-After"), body, fault.sentence)
		}
		for _, path := range []string{"/api/songs", "/api/search?q=ebb", "/ready"} {
			tally.Inputs++
			if resp, body := b.send("GET", b.CatalogURL+path, "X-Api-Key", b.key); resp.StatusCode != 200 {
				violate("%s, %s: got %d %s, want 200", fault.name, path, resp.StatusCode, body)
			}
		}
		fault.heal()
		healed := time.Now()
		testenv.WaitFor(t, "the songs are back", func() bool {
			resp, body := b.get("GET", "Ebb")
			return resp.StatusCode == 200 && bytes.Equal(body, b.files["Ebb"])
		})
		slowest = max(slowest, time.Since(healed))
	}
	if slowest > 5*time.Second {
		violate("healed after %v, want at most 5 s", slowest)
	}
	b.proxy.Latency(100 * time.Millisecond)
	tally.Faults++
	if resp, body := b.get("GET", "Ebb"); resp.StatusCode != 200 || !bytes.Equal(body, b.files["Ebb"]) {
		violate("slow: got %d, %d bytes; want 200, %d bytes", resp.StatusCode, len(body), len(b.files["Ebb"]))
	}
	tally.Note = fmt.Sprintf("healed after at most %d ms of 5000", slowest.Milliseconds())
	testenv.Report(t, testenv.ObjectStorage, tally)
}

// TestMediaRedirectLeadsToTheStorage follows a redirect, and lets the player play without one.
func TestMediaRedirectLeadsToTheStorage(t *testing.T) {
	var dir app.DataDir
	b := upWithBucket(t, func(c *app.Config) { c.Catalog.MediaRedirect, dir = true, c.DataDir })
	resp, _ := b.get("GET", "Ebb")
	location := resp.Header.Get("Location")
	if resp.StatusCode != 302 || !strings.HasPrefix(location, "http://"+b.proxy.Addr()+"/music/library/") ||
		resp.Header.Get("Cache-Control") != "no-store" || strings.Contains(location, s3server.SecretKey) {
		t.Fatalf("got %d, %v; want a redirect to the storage", resp.StatusCode, resp.Header)
	}
	resp, got := b.send("GET", location, "Range", "bytes=10-19")
	if resp.StatusCode != 206 || !bytes.Equal(got, b.files["Ebb"][10:20]) ||
		resp.Header.Get("Content-Type") != "audio/flac" {
		t.Errorf("at the storage: got %d, %q, %v; want ten bytes of FLAC", resp.StatusCode, got, resp.Header)
	}
	if resp, _ := b.get("HEAD", "Ebb"); resp.StatusCode != 200 {
		t.Errorf("HEAD: got %d, want 200", resp.StatusCode)
	}
	player := &client.Player{BaseURL: b.PlayerURL, Token: ownerToken(t, dir)}
	if err := player.PlayTrack(t.Context(), b.songs["Lamplight Waltz"]); err != nil {
		t.Fatal(err)
	}
	testenv.WaitFor(t, "the player plays from the bucket", func() bool {
		track, err := player.CurrentTrack(t.Context())
		return err == nil && track != nil && track.IsPlaying && track.Position > 0
	})
	resp, got = b.send("GET", b.PlayerURL+"/api/songs/"+b.songs["Ebb"]+"/stream", "Authorization",
		"Bearer "+ownerToken(t, dir))
	if resp.StatusCode != 200 || !bytes.Equal(got, b.files["Ebb"]) {
		t.Errorf("through the player: got %d, %d bytes; want 200 without a redirect", resp.StatusCode, len(got))
	}
}

// grep returns the lines of a text with a word.
func grep(text, word string) (found string) {
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			found += line
		}
	}
	return found
}
