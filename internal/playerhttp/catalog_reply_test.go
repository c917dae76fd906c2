package playerhttp_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"waxwing/internal/testenv"
)

// TestCatalogProxyRefusesWhatNoCatalogSends: a redirect would lead the client to another server,
// and a page would be one of the player's origin.
func TestCatalogProxyRefusesWhatNoCatalogSends(t *testing.T) {
	h := start(t, 0)
	var followed atomic.Int32
	thief := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) })
	elsewhere := httptest.NewServer(thief)
	t.Cleanup(elsewhere.Close)
	typed := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{kind}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	raw := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_, _ = io.WriteString(c, text) // the player may have closed it
				_ = c.Close()
			}
		}
	}
	const page = "<!doctype html><script>alert(1)</script>"
	cases := map[string]http.HandlerFunc{
		"page": typed(200, "text/html", page), "error page": typed(404, "text/html; charset=utf-8", page),
		"gateway page": typed(502, "text/html", page), "no type": typed(200, "", page),
		"broken type": typed(200, "text/html;;", page), "script": typed(200, "text/javascript", "alert(1)"),
		"plain text": typed(500, "text/plain", "Bad Gateway"), "XML": typed(200, "application/xhtml+xml", page),
		"status 999": typed(999, "application/json", "{}"),
		"huge length": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(9<<20))
			typed(200, "application/json", "{")(w, r)
		},
		"wrong length":   raw("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}"),
		"two lengths":    raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{} "),
		"switch":         raw("HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
		"switch to none": raw("HTTP/1.1 101 x\r\nConnection: Upgrade\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
		"not HTTP":       raw("SSH-2.0-x\r\n\r\n"), "nothing": raw(""),
		"huge header": raw("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 100<<10) + "\r\n\r\n"),
	}
	for _, status := range []int{300, 301, 302, 303, 307, 308, 399} {
		cases[fmt.Sprint("redirect ", status)] = func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/stolen", status)
		}
	}
	h.catalog.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cases[r.URL.Query().Get("case")](w, r)
	})
	tried := 0
	for name := range cases {
		for _, path := range []string{"/api/songs", "/media/covers/ab"} {
			tried++
			got := h.do(t, "GET", path+"?case="+url.QueryEscape(name), "read", "")
			if got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, "the catalog ") ||
				got.header.Get("Location") != "" || strings.Contains(got.body, "script") {
				t.Errorf("%s, GET %s: got %d %.100s with %v; want 503 and a message", name, path, got.status, got.body, got.header)
			}
		}
	}
	if n := followed.Load(); n > 0 {
		t.Errorf("got %d followed redirects, want 0", n)
	}
	testenv.Report(t, testenv.HostileCatalogs, testenv.Tally{Inputs: tried,
		Note: "redirects, pages and invalid replies to requests that the player passes on: refused"})
}

// TestCatalogCannotChangeTheHeadersOfThePlayer: an informational reply made ReverseProxy remove the
// headers that protect the player's origin.
func TestCatalogCannotChangeTheHeadersOfThePlayer(t *testing.T) {
	h := start(t, 0)
	own := []string{"Content-Security-Policy", "X-Content-Type-Options", "X-Request-Id", "Referrer-Policy",
		"Cross-Origin-Resource-Policy", "X-Waxwing-Version"}
	before := h.do(t, "GET", "/api/songs", "read", "").header
	h.catalog.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for _, name := range append(own, "Clear-Site-Data", "Set-Cookie", "Refresh", "Alt-Svc", "Service-Worker-Allowed",
			"Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Strict-Transport-Security", "Report-To",
			"SourceMap", "X-Frame-Options", "Location") {
			w.Header().Set(name, "*")
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("ETag", `"8"`)
		w.Header().Set("Trailer", "X-Late")
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusProcessing)
		_, _ = io.WriteString(w, "{}")
		w.Header().Set("X-Late", "*")
	})
	got := h.do(t, "GET", "/api/songs", "read", "")
	got.want(t, 200, "{}")
	for name, values := range got.header {
		if values[0] == "*" {
			t.Errorf("got %s of the catalog, want that of the player or none", name)
		}
	}
	for _, name := range own {
		if (got.header.Get(name) == "") != (before.Get(name) == "") {
			t.Errorf("%s: got %q after an informational reply, want as without (%q)", name, got.header.Get(name),
				before.Get(name))
		}
	}
	if got.header.Get("Content-Security-Policy") == "" || got.header.Get("ETag") != `"8"` {
		t.Errorf("got %v, want a policy of the player and the ETag of the catalog", got.header)
	}
}

// A reply that grows without an end while it is read is cut.
func TestCatalogProxyCutsEndlessReplies(t *testing.T) {
	h := start(t, 0)
	h.catalog.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for block := bytes.Repeat([]byte("[ "), 32<<10); ; {
			if _, err := z.Write(block); err != nil {
				return
			}
		}
	})
	resp, err := h.http.Do(h.request(t, "GET", "/api/songs", "read", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	if err == nil || n > 8<<20 {
		t.Errorf("got %d bytes and %v, want an error after at most 8 MB", n, err)
	}
}
