package playerhttp_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"waxwing/api"
	"waxwing/internal/playerhttp"
)

func TestPagesHaveTypeETagAndStrictPolicy(t *testing.T) {
	h := start(t, 0)
	for path, contentType := range map[string]string{
		"/": "text/html; charset=utf-8", "/docs": "text/html; charset=utf-8", "/openapi.yaml": "application/yaml",
		"/web/app.js": "text/javascript; charset=utf-8", "/web/style.css": "text/css; charset=utf-8",
		"/web/icon.svg": "image/svg+xml",
	} {
		got := h.read(t, h.request(t, "GET", path, "", ""))
		if got.status != 200 || got.header.Get("Content-Type") != contentType || got.body == "" {
			t.Errorf("%s: got %d %s and %d bytes, want 200 %s and a body",
				path, got.status, got.header.Get("Content-Type"), len(got.body), contentType)
		}
		if policy := got.header.Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") ||
			!strings.Contains(policy, "default-src 'none'") {
			t.Errorf("%s: got policy %q, want default-src 'none' and nothing unsafe", path, policy)
		}
	}
	if got := h.read(t, h.request(t, "GET", "/openapi.yaml", "", "")); got.body+"\n" != string(api.PlayerYAML) {
		t.Error("/openapi.yaml differs from api/player.yaml")
	}
	etag := h.do(t, "GET", "/", "", "").header.Get("ETag")
	if got := h.do(t, "GET", "/", "", "", "If-None-Match", etag); got.status != http.StatusNotModified {
		t.Errorf("with a matching ETag: got %d, want %d", got.status, http.StatusNotModified)
	}
}

func TestFilesOfPagesAreCompressedAndStoredForEver(t *testing.T) {
	h := start(t, 0)
	page := h.do(t, "GET", "/", "", "")
	path := regexp.MustCompile(`src="(/web/v-\w+/app\.js)"`).FindStringSubmatch(page.body)
	if page.header.Get("Cache-Control") != "no-cache" || path == nil {
		t.Fatalf("got Cache-Control %q and\n%s\nwant no-cache and a script named by its content",
			page.header.Get("Cache-Control"), page.body)
	}
	plain := h.do(t, "GET", path[1], "", "", "Accept-Encoding", "identity")
	packed := h.do(t, "GET", path[1], "", "", "Accept-Encoding", "gzip")
	for _, got := range []reply{plain, packed} {
		if got.status != 200 || got.header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			got.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: got %d %v, want 200, immutable and Vary", path[1], got.status, got.header)
		}
	}
	r, err := gzip.NewReader(strings.NewReader(packed.body))
	if err != nil || packed.header.Get("Content-Encoding") != "gzip" || len(packed.body) > len(plain.body)/3 {
		t.Fatalf("got %d of %d bytes, %q, %v; want less than a third, gzipped",
			len(packed.body), len(plain.body), packed.header.Get("Content-Encoding"), err)
	}
	if unpacked, err := io.ReadAll(r); err != nil || strings.TrimSpace(string(unpacked)) != plain.body {
		t.Errorf("got %d bytes, %v; want the %d bytes of the script", len(unpacked), err, len(plain.body))
	}
	other := regexp.MustCompile(`v-\w+`).ReplaceAllString(path[1], "v-0123456789abcdef")
	if got := h.do(t, "GET", other, "", ""); got.status != 404 || got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("another version: got %d %v, want 404 that is not stored", got.status, got.header)
	}
}

func TestRequestsAreMeasuredAndLoggedWithoutQuery(t *testing.T) {
	h := start(t, 1)
	h.do(t, "POST", "/play", "write", "")
	id := h.do(t, "GET", "/playback-state?secret=query", "read", "").header.Get("X-Request-Id")
	got := h.do(t, "GET", "/metrics", "read", "")
	for _, line := range []string{
		`waxwing_http_requests_total{route="GET /playback-state",server="player",status="200"} 1`,
		`waxwing_http_request_duration_seconds_count{route="POST /play",server="player"} 1`,
	} {
		if !strings.Contains(got.body, line) {
			t.Errorf("metrics: got %s\nwant the line %s", got.body, line)
		}
	}
	log := h.log.String()
	if !strings.Contains(log, "request_id="+id) || !strings.Contains(log, `route="GET /playback-state"`) ||
		strings.Contains(log, "secret=query") {
		t.Errorf("got log\n%s\nwant request id %s, the route, and no query", log, id)
	}
	other := h.do(t, "GET", "/playback-state", "read", "").header.Get("X-Request-Id")
	if other == id {
		t.Errorf("got request id %s twice, want a new one for each request", id)
	}
}

func TestPanicReturns500AndServerContinues(t *testing.T) {
	h := start(t, 1, func(c *playerhttp.Config) { c.Ready = nil })
	h.do(t, "GET", "/ready", "read", "").
		want(t, 500, `{"error":"internal error; see the log of the server for this X-Request-Id","code":"internal_error"}`)
	h.do(t, "GET", "/playback-state", "read", "").want(t, 200, "~is_playing")
}
