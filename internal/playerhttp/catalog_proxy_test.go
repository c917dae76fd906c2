package playerhttp_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/internal/access"
	"waxwing/internal/testenv"
)

// received is a request as the catalog received it.
type received struct {
	Method, URI, Host, Body string
	Header                  http.Header
}

func TestCatalogProxySendsPlayerKeyAndNoClientCredentials(t *testing.T) {
	h := start(t, 0)
	got := h.do(t, "GET", "/api/songs?page=2&access_token="+h.secrets["read"]+"&limit=3", "", "",
		"Cookie", "a=b", "X-Api-Key", "mine", "X-Forwarded-For", "1.2.3.4", "If-None-Match", `"7"`,
		"Range", "bytes=0-1", "Connection", "X-Secret", "X-Secret", "s")
	var at received
	got.json(t, &at)
	if got.status != 200 || at.URI != "/api/songs?limit=3&page=2" || at.Method != "GET" ||
		at.Host != strings.TrimPrefix(h.catalog.URL, "http://") {
		t.Errorf("got status %d and request %+v, want 200 and GET /api/songs?limit=3&page=2", got.status, at)
	}
	for name, want := range map[string]string{
		"X-Api-Key": "wxk_player", "Authorization": "", "Cookie": "", "X-Forwarded-For": "", "Origin": "",
		"X-Secret": "", "If-None-Match": `"7"`, "Range": "bytes=0-1",
	} {
		if at.Header.Get(name) != want {
			t.Errorf("%s: got %q at the catalog, want %q", name, at.Header.Get(name), want)
		}
	}
	if etag := got.header.Get("ETag"); etag != `"7"` {
		t.Errorf("got ETag %q, want the catalog's \"7\"", etag)
	}
	if strings.Contains(got.body, h.secrets["read"]) {
		t.Error("got the client's token at the catalog, want it removed")
	}
	h.do(t, "GET", "/api/songs", "both", "").json(t, &at)
	if at.Header.Get("Authorization") != "" {
		t.Error("got the client's token at the catalog, want it removed")
	}
	h.do(t, "POST", "/api/playlists", "write", `{"name":"x"}`,
		"Content-Type", "application/json", "Idempotency-Key", "k").json(t, &at)
	if at.Method != "POST" || at.Body != `{"name":"x"}` || at.Header.Get("Idempotency-Key") != "k" ||
		at.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got request %+v, want the POST with its body, type and idempotency key", at)
	}
	h.do(t, "DELETE", "/api/playlists/pl_1", "read", "").want(t, 403, `~permission`)
	h.do(t, "GET", "/media/other/ab?size=96", "write", "").want(t, 403, `~permission`)
	h.do(t, "GET", "/media/other/ab?size=96", "read", "").want(t, 200, `~/media/other/ab?size=96`)
	h.do(t, "GET", "/media/covers/ab?size=96", "", "").want(t, 200, `~/media/covers/ab?size=96`)
	h.do(t, "GET", "/media/covers/ab", "", "", "Sec-Fetch-Site", "cross-site").want(t, 403, `~origin`)
	h.do(t, "HEAD", "/media/covers/ab", "read", "").want(t, 200, "")
	h.do(t, "POST", "/media/covers/ab", "both", "").want(t, 405, `~GET, HEAD`)
	h.do(t, "POST", "/api/playlists", "write", strings.Repeat("x", 65537), "Content-Type", "application/json").
		want(t, 413, `~65536`)
}

// TestCatalogProxyRequiresKeysPermissionForKeys: the player's key can create keys, so the
// permission write is not enough to use it for that.
func TestCatalogProxyRequiresKeysPermissionForKeys(t *testing.T) {
	h := start(t, 0)
	for _, at := range []string{
		"GET /api/keys", "POST /api/keys", "DELETE /api/keys/ke_1", "POST /api/keys/ke_1/rotate",
		"GET /api/%6beys", "POST /api/ke%79s",
	} {
		method, path, _ := strings.Cut(at, " ")
		h.do(t, method, path, "both", "").want(t, 403, `~needs the permission keys; yours has only read, write`)
		var got struct{ Method, URI string }
		h.do(t, method, path, "keys", `{"name":"x","permissions":["keys"]}`).json(t, &got)
		if got.Method != method || got.URI != path {
			t.Errorf("got request %+v at the catalog, want %s", got, at)
		}
	}
	for _, at := range []string{
		"PUT /api/keys", "PATCH /api/keys/ke_1", "GET /api/keys/", "GET /api/keys/ke_1",
		"POST /api/keys/ke_1", "DELETE /api/keys/ke_1/rotate",
	} {
		method, path, _ := strings.Cut(at, " ")
		h.do(t, method, path, "both", "").want(t, 403, `~needs the permission keys`)
		if got := h.do(t, method, path, "all", ""); got.status != 404 {
			t.Errorf("%s: got %d %s, want 404 without the catalog", at, got.status, got.body)
		}
	}
}

// TestCatalogProxyLimitsNewKeysByTheToken: the catalog sees only the player's key, so the player
// passes on a request that cannot exceed the caller's token.
func TestCatalogProxyLimitsNewKeysByTheToken(t *testing.T) {
	h := start(t, 0)
	_, hour := h.createToken(t, access.NewToken{Name: "hour", Permissions: access.Keys, Lifetime: time.Hour})
	_, moment := h.createToken(t,
		access.NewToken{Name: "moment", Permissions: access.Keys, Lifetime: 1900 * time.Millisecond})
	for _, c := range []struct {
		token, body string
		status      int
		least, most int // seconds; 0: none
	}{
		{"keys", `{"name":"x","permissions":["keys"]}`, 200, 0, 0},
		{"keys", `{"name":"x","permissions":["keys"],"expires_in":86400}`, 200, 86400, 86400},
		{hour, `{"name":"x","permissions":["keys"]}`, 200, 3500, 3599},
		{hour, `{"name":"x","permissions":["keys"],"expires_in":null}`, 200, 3500, 3599},
		{hour, `{"name":"x","permissions":["keys"],"expires_in":60}`, 200, 60, 60},
		{hour, `{"name":"x","permissions":["keys"],"expires_in":3601}`, 403, 0, 0},
		{hour, `{"name":"x","permissions":["keys"],"Permissions":["read"]}`, 200, 3500, 3599},
		{hour, `{"name":"x","permissions":["keys"],"permissions":["read"]}`, 400, 0, 0},
		{hour, `{"name":"x","permissions":["keys","read"]}`, 403, 0, 0},
		{moment, `{"name":"x","permissions":["keys"]}`, 403, 0, 0},
	} {
		got := h.do(t, "POST", "/api/keys", c.token, c.body)
		if got.status != c.status {
			t.Errorf("%s: got %d %s, want %d", c.body, got.status, got.body, c.status)
			continue
		}
		var at received
		if got.status != 200 {
			continue
		}
		got.json(t, &at)
		var sent catalogapi.KeyRequest
		if err := json.Unmarshal([]byte(at.Body), &sent); err != nil || !slices.Equal(sent.Permissions, []string{"keys"}) {
			t.Errorf("%s: got %s at the catalog, %v, want the permission keys alone", c.body, at.Body, err)
		}
		seconds := 0
		if sent.ExpiresIn != nil {
			seconds = *sent.ExpiresIn
		}
		if seconds < c.least || seconds > c.most {
			t.Errorf("%s: got %d s at the catalog, want %d to %d", c.body, seconds, c.least, c.most)
		}
	}
}

func TestCatalogProxyTranslatesCatalogErrors(t *testing.T) {
	h := start(t, 0)
	h.do(t, "GET", "/api/missing", "read", "").want(t, 404, `{"error":"there is no such song","code":"not_found"}`)
	h.do(t, "GET", "/api/refused", "read", "").
		want(t, 503, `{"error":"the catalog does not accept the player's key","code":"catalog_unavailable"}`)
	h.catalog.Close()
	got := h.do(t, "GET", "/api/songs", "read", "")
	got.want(t, 503, `{"error":"the catalog cannot be reached; check that it is running","code":"catalog_unavailable"}`)
	if got.header.Get("Retry-After") == "" {
		t.Error("got a 503 without Retry-After, want the header")
	}
}

func TestCatalogProxyRejectsAmbiguousPaths(t *testing.T) {
	h := start(t, 0)
	for _, path := range []string{
		"/api/../metrics", "/api/%2e%2e/metrics", "/api/..%2fmetrics", "/api/%2e%2e%2fmetrics",
		"/api//songs", "/api/./songs", "/api/songs%2f..%2f..%2fmetrics", `/api/..%5cmetrics`,
		"/api/%00", "/media/..;/metrics/../x", "/api/songs/..", "/api/a%2Fb",
	} {
		if got := h.do(t, "GET", path, "both", ""); got.status != 404 || strings.Contains(got.body, "uri") {
			t.Errorf("GET %s: got %d %s, want 404 without the catalog", path, got.status, got.body)
		}
	}
}

// TestCancelledProxyRequestIsNotLoggedAsError: a client that disconnects during a reply is normal
// and causes neither a warning nor an error.
func TestCancelledProxyRequestIsNotLoggedAsError(t *testing.T) {
	h := start(t, 0)
	ended := make(chan struct{})
	h.catalog.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	resp, err := h.http.Do(h.request(t, "GET", "/api/songs", "read", "").WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(io.Discard, resp.Body, 1<<20); err != nil {
		t.Fatal(err)
	}
	cancel()
	_ = resp.Body.Close()
	<-ended
	testenv.WaitFor(t, "the log entry of the request", func() bool {
		return strings.Contains(h.log.String(), `route="GET /api/{path...}"`)
	})
	if log := h.log.String(); strings.Contains(log, "level=ERROR") || strings.Contains(log, "level=WARN") {
		t.Errorf("got log\n%s\nwant no ERROR and no WARN", log)
	}
}

// TestSignedLinksWorkThroughThePlayer: an audio element of the player's page cannot send a token.
// The request reaches the catalog without the player's key, so that only a valid signature counts.
func TestSignedLinksWorkThroughThePlayer(t *testing.T) {
	h := start(t, 0)
	const path = "/media/songs/so_1?expires=1&format=flac&signature=s"
	var at received
	got := h.do(t, "GET", path, "", "", "Range", "bytes=2-5", "Sec-Fetch-Site", "same-origin")
	got.json(t, &at)
	if got.status != 200 || at.URI != path || at.Header.Get("Range") != "bytes=2-5" || at.Header.Get("X-Api-Key") != "" {
		t.Errorf("got %d and request %+v, want %s with its range and without a key", got.status, at, path)
	}
	h.do(t, "GET", path, "", "", "Sec-Fetch-Site", "cross-site").want(t, 403, `~origin`)
	h.do(t, "GET", path, "", "", "Origin", "http://evil.example").want(t, 403, `~origin`)
	h.do(t, "GET", "/media/other/so_1", "", "").want(t, 401, `~token`)
}
