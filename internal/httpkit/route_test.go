package httpkit_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// TestDefaultDeny: a table with a route nobody thought through cannot be built.
func TestDefaultDeny(t *testing.T) {
	ok := answer(200, "")
	for name, route := range map[string]httpkit.Route{
		"no permission":           {Pattern: "GET /x", Handler: ok},
		"unknown permission":      {Pattern: "GET /x", Need: 99, Handler: ok},
		"no handler":              {Pattern: "GET /x", Need: httpkit.Read},
		"no method":               {Pattern: "/x", Need: httpkit.Read, Handler: ok},
		"unknown method":          {Pattern: "BREW /x", Need: httpkit.Read, Handler: ok},
		"OPTIONS is the server's": {Pattern: "OPTIONS /x", Need: httpkit.Read, Handler: ok},
		"a host":                  {Pattern: "GET example.org/x", Need: httpkit.Read, Handler: ok},
		"a private page":          {Pattern: "GET /x", Need: httpkit.Read, Kind: httpkit.Page, Handler: ok},
		"a picture by POST":       {Pattern: "POST /x", Need: httpkit.Public, Kind: httpkit.Picture, Handler: ok},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: the table was accepted", name)
				}
			}()
			httpkit.New(
				httpkit.Config{Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler)},
				[]httpkit.Route{route},
			)
		}()
	}
}

// TestEveryKindOfFault has its status and its headers, and tells no internals.
func TestEveryKindOfFault(t *testing.T) {
	cause := context.DeadlineExceeded
	var routes []httpkit.Route
	for path, kind := range map[string]fault.Kind{
		"/500": fault.Internal, "/400": fault.Invalid, "/401": fault.Unauthenticated, "/403": fault.Forbidden, "/404": fault.NotFound,
		"/409": fault.Conflict, "/413": fault.TooLarge, "/415": fault.Unsupported, "/429": fault.TooMany, "/503": fault.Unavailable,
	} {
		routes = append(
			routes,
			httpkit.Route{
				Pattern: "GET " + path,
				Need:    httpkit.Public,
				Handler: func(http.ResponseWriter, *http.Request) error {
					return fault.Wrap(kind, cause, "the sentence")
				},
			},
		)
	}
	f := serve(t, "127.0.0.1:0", nil, routes...)
	for _, rt := range routes {
		_, path, _ := strings.Cut(rt.Pattern, " ")
		resp, body := f.do(t, "GET", path, "")
		want := `{"error":"the sentence"}`
		if path == "/500" {
			want = `{"error":"something went wrong on our side; the log has the details under this request id"}`
		}
		if "/"+resp.Status[:3] != path || body != want || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s %s", path, resp.Status, body)
		}
		if (path == "/401") != (resp.Header.Get("WWW-Authenticate") == "Key") {
			t.Errorf("%s: challenge %q", path, resp.Header.Get("WWW-Authenticate"))
		}
		if (path == "/429" || path == "/503") != (resp.Header.Get("Retry-After") == "1") {
			t.Errorf("%s: Retry-After %q", path, resp.Header.Get("Retry-After"))
		}
		if !strings.Contains(f.log.String(), cause.Error()) {
			t.Errorf("%s: the log does not know the cause", path)
		}
	}
}

// TestPicturesMayBeShownAnywhere, and nothing else may.
func TestPicturesMayBeShownAnywhere(t *testing.T) {
	f := serve(t, "127.0.0.1:0", nil,
		httpkit.Route{Pattern: "GET /cover", Need: httpkit.Public, Kind: httpkit.Picture, Handler: answer(200, "picture")},
		httpkit.Route{Pattern: "GET /plain", Need: httpkit.Public, Handler: answer(200, "plain")},
	)
	foreign := []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", "image", "Origin", "https://other.example"}
	resp, body := f.do(t, "GET", "/cover", "", foreign...)
	if body != "picture" || resp.Header.Get("Cross-Origin-Resource-Policy") != "cross-origin" ||
		resp.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("cover: %s %v", body, resp.Header)
	}
	resp, _ = f.do(t, "GET", "/plain", "", foreign...)
	if resp.StatusCode != 403 || resp.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
		t.Errorf("plain: %d %v", resp.StatusCode, resp.Header)
	}
}

// TestHostsByConnection: loopback names count on loopback connections, whatever the bind.
func TestHostsByConnection(t *testing.T) {
	route := httpkit.Route{Pattern: "GET /x", Need: httpkit.Public, Handler: answer(200, "x")}
	for _, bind := range []string{"127.0.0.1:0", "[::1]:0", "0.0.0.0:0"} {
		f := serve(t, bind, nil, route)
		port := f.url[strings.LastIndexByte(f.url, ':')+1:]
		if strings.HasPrefix(bind, "0.") {
			f.url = "http://127.0.0.1:" + port
		}
		for host, want := range map[string]int{
			"localhost:" + port: 200, "127.0.0.1:" + port: 200, "[::1]:" + port: 200, "named.example": 200, "named.example:" + port: 200,
			"0.0.0.0:" + port: 421, "evil.example:" + port: 421, "localhost:1": 421, "localhost": 421, "named.example:1": 421, "[::ffff:127.0.0.1]:" + port: 421,
		} {
			if resp, body := f.do(t, "GET", "/x", "", "Host", host); resp.StatusCode != want {
				t.Errorf("bound to %s, asked as %s: %d %s; want %d", bind, host, resp.StatusCode, body, want)
			}
		}
	}
}

// TestARefusedNameIsLogged, with what the operator would have to change, in one line of bounded
// length.
func TestARefusedNameIsLogged(t *testing.T) {
	f := serve(t, "127.0.0.1:0", nil, httpkit.Route{Pattern: "GET /x", Need: httpkit.Public, Handler: answer(200, "x")})
	for host, want := range map[string]string{
		"evil.example:7845":      "host=evil.example:7845 ",
		strings.Repeat("a", 300): "host=" + strings.Repeat("a", 80) + "... ",
	} {
		resp, _ := f.do(t, "GET", "/x", "", "Host", host)
		if said := f.log.String(); resp.StatusCode != 421 || !strings.Contains(said, want) ||
			!strings.Contains(said, "add it to test-host") {
			t.Errorf("%d: %q is not in %s", resp.StatusCode, want, said)
		}
	}
}
