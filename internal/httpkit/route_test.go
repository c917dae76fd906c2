package httpkit_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// TestDefaultDeny checks that New panics on a route without a permission and on other invalid
// routes.
func TestDefaultDeny(t *testing.T) {
	ok := respond(200, "")
	for name, route := range map[string]httpkit.Route{
		"no permission":           {Pattern: "GET /x", Handler: ok},
		"unknown permission":      {Pattern: "GET /x", Need: 99, Handler: ok},
		"no handler":              {Pattern: "GET /x", Need: httpkit.Read},
		"no method":               {Pattern: "/x", Need: httpkit.Read, Handler: ok},
		"unknown method":          {Pattern: "BREW /x", Need: httpkit.Read, Handler: ok},
		"OPTIONS method":          {Pattern: "OPTIONS /x", Need: httpkit.Read, Handler: ok},
		"host in the pattern":     {Pattern: "GET example.org/x", Need: httpkit.Read, Handler: ok},
		"page that is not public": {Pattern: "GET /x", Need: httpkit.Read, Kind: httpkit.Page, Handler: ok},
		"picture with POST":       {Pattern: "POST /x", Need: httpkit.Public, Kind: httpkit.Picture, Handler: ok},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: New returned, want a panic", name)
				}
			}()
			httpkit.New(
				httpkit.Config{Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler)},
				[]httpkit.Route{route},
			)
		}()
	}
}

// TestFaultKindsMapToStatusAndHeaders checks the reply to each kind of error. The reply never
// contains the cause; the log does.
func TestFaultKindsMapToStatusAndHeaders(t *testing.T) {
	cause := context.DeadlineExceeded
	var routes []httpkit.Route
	for path, kind := range map[string]fault.Kind{
		"/500": fault.Internal,
		"/400": fault.Invalid,
		"/401": fault.Unauthenticated,
		"/403": fault.Forbidden,
		"/404": fault.NotFound,
		"/409": fault.Conflict,
		"/413": fault.TooLarge,
		"/415": fault.Unsupported,
		"/429": fault.TooMany,
		"/503": fault.Unavailable,
	} {
		routes = append(
			routes,
			httpkit.Route{
				Pattern: "GET " + path,
				Need:    httpkit.Public,
				Handler: func(http.ResponseWriter, *http.Request) error {
					return fault.Wrap(kind, cause, "the message")
				},
			},
		)
	}
	codes := map[string]string{"/400": "invalid_parameter", "/401": "invalid_credential", "/403": "not_allowed",
		"/404": "not_found", "/409": "conflict", "/413": "too_large", "/415": "unsupported_type", "/429": "rate_limited",
		"/503": "unavailable"}
	f := serve(t, "127.0.0.1:0", nil, routes...)
	for _, rt := range routes {
		_, path, _ := strings.Cut(rt.Pattern, " ")
		resp, body := f.do(t, "GET", path, "")
		want := `{"error":"the message","code":"` + codes[path] + `"}`
		if path == "/500" {
			want = `{"error":"internal error; see the log of the server for this X-Request-Id","code":"internal_error"}`
		}
		if "/"+resp.Status[:3] != path || body != want || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: got %s %s, want %s", path, resp.Status, body, want)
		}
		if (path == "/401") != (resp.Header.Get("WWW-Authenticate") == "Key") {
			t.Errorf("%s: got WWW-Authenticate %q, want Key only for 401", path, resp.Header.Get("WWW-Authenticate"))
		}
		if (path == "/429" || path == "/503") != (resp.Header.Get("Retry-After") == "1") {
			t.Errorf("%s: got Retry-After %q, want 1 only for 429 and 503", path, resp.Header.Get("Retry-After"))
		}
		if !strings.Contains(f.log.String(), cause.Error()) {
			t.Errorf("%s: log: got %s, want the cause %q", path, f.log, cause)
		}
	}
}

// TestOnlyPicturesMayBeEmbeddedByOtherOrigins checks that other replies are denied to them.
func TestOnlyPicturesMayBeEmbeddedByOtherOrigins(t *testing.T) {
	f := serve(t, "127.0.0.1:0", nil,
		httpkit.Route{Pattern: "GET /cover", Need: httpkit.Public, Kind: httpkit.Picture, Handler: respond(200, "picture")},
		httpkit.Route{Pattern: "GET /plain", Need: httpkit.Public, Handler: respond(200, "plain")},
	)
	crossSite := []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", "image", "Origin", "https://other.example"}
	resp, body := f.do(t, "GET", "/cover", "", crossSite...)
	if body != "picture" || resp.Header.Get("Cross-Origin-Resource-Policy") != "cross-origin" ||
		resp.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("/cover: got %s %v, want picture and a cross-origin policy", body, resp.Header)
	}
	resp, _ = f.do(t, "GET", "/plain", "", crossSite...)
	if resp.StatusCode != 403 || resp.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
		t.Errorf("/plain: got %d %v, want 403 and a same-origin policy", resp.StatusCode, resp.Header)
	}
}

// TestLoopbackHostsAreAcceptedForAnyBindAddress checks that the address of the connection
// decides which host names are accepted, not the bind address.
func TestLoopbackHostsAreAcceptedForAnyBindAddress(t *testing.T) {
	route := httpkit.Route{Pattern: "GET /x", Need: httpkit.Public, Handler: respond(200, "x")}
	for _, bind := range []string{"127.0.0.1:0", "[::1]:0", "0.0.0.0:0"} {
		f := serve(t, bind, nil, route)
		port := f.url[strings.LastIndexByte(f.url, ':')+1:]
		if strings.HasPrefix(bind, "0.") {
			f.url = "http://127.0.0.1:" + port
		}
		for host, want := range map[string]int{
			"localhost:" + port:          200,
			"127.0.0.1:" + port:          200,
			"[::1]:" + port:              200,
			"named.example":              200,
			"named.example:" + port:      200,
			"0.0.0.0:" + port:            421,
			"evil.example:" + port:       421,
			"localhost:1":                421,
			"localhost":                  421,
			"named.example:1":            421,
			"[::ffff:127.0.0.1]:" + port: 421,
		} {
			if resp, body := f.do(t, "GET", "/x", "", "Host", host); resp.StatusCode != want {
				t.Errorf("bind %s, host %s: got %d %s, want %d", bind, host, resp.StatusCode, body, want)
			}
		}
	}
}

// TestOwnAddressIsAcceptedAsHost checks that other machines can use the address of this one, but no
// name and no other address.
func TestOwnAddressIsAcceptedAsHost(t *testing.T) {
	h := httpkit.New(httpkit.Config{
		Name: "test", Version: "1", Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
		Authenticate: func(http.ResponseWriter, *http.Request) (httpkit.Caller, error) {
			return httpkit.Caller{}, httpkit.ErrNoCredential
		},
	}, []httpkit.Route{{Pattern: "GET /x", Need: httpkit.Public, Handler: respond(200, "x")}})
	for _, test := range []struct {
		local string // address of the machine to which the client has connected
		host  string
		want  int
	}{
		{"192.0.2.7:7833", "192.0.2.7:7833", 200},
		{"[::ffff:192.0.2.7]:7833", "192.0.2.7:7833", 200},
		{"192.0.2.7:80", "192.0.2.7", 200},
		{"[2001:db8::7]:7833", "[2001:db8::7]:7833", 200},
		{"[2001:db8::7]:80", "[2001:db8::7]", 200},
		{"192.0.2.7:7833", "192.0.2.7", 421},
		{"192.0.2.7:7833", "192.0.2.7:1", 421},
		{"192.0.2.7:7833", "192.0.2.8:7833", 421},
		{"192.0.2.7:7833", "[::ffff:192.0.2.7]:7833", 421},
		{"192.0.2.7:7833", "localhost:7833", 421},
		{"192.0.2.7:7833", "127.0.0.1:7833", 421},
		{"192.0.2.7:7833", "evil.example:7833", 421},
		{"192.0.2.7:7833", "", 421},
		{"127.0.0.1:7833", "192.0.2.7:7833", 421},
	} {
		local, err := net.ResolveTCPAddr("tcp", test.local)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, local), "GET", "/x", nil)
		r.Host = test.host
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != test.want {
			t.Errorf("host %q at %s: got %d %s, want %d", test.host, test.local, w.Code, w.Body, test.want)
		}
	}
}

// TestRefusedHostIsLoggedWithHint checks that the log names the host, shortened, and the setting to
// change.
func TestRefusedHostIsLoggedWithHint(t *testing.T) {
	f := serve(t, "127.0.0.1:0", nil, httpkit.Route{Pattern: "GET /x", Need: httpkit.Public, Handler: respond(200, "x")})
	for host, want := range map[string]string{
		"evil.example:7845":      "host=evil.example:7845 ",
		strings.Repeat("a", 300): "host=" + strings.Repeat("a", 80) + "... ",
	} {
		resp, _ := f.do(t, "GET", "/x", "", "Host", host)
		if log := f.log.String(); resp.StatusCode != 421 || !strings.Contains(log, want) ||
			!strings.Contains(log, "add it to test-host") {
			t.Errorf("got status %d and log\n%s\nwant 421, %q and a hint", resp.StatusCode, log, want)
		}
	}
}
