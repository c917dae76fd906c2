package httpkit_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/access"
	"waxwing/internal/httpkit"
)

// TestPublicURLDecidesSchemeAndHost: behind a TLS proxy, a page of the public URL may use the
// server, and no other.
func TestPublicURLDecidesSchemeAndHost(t *testing.T) {
	for _, test := range []struct {
		public, host, origin, site string
		want                       int
	}{
		{"https://p.example", "p.example", "https://p.example", "same-origin", 200},
		{"https://p.example/", "P.example", "https://p.example", "", 200},
		{"https://p.example", "p.example:443", "https://p.example", "", 200},
		{"https://p.example:443", "p.example", "https://p.example", "", 200},
		{"https://p.example:8443", "p.example:8443", "https://p.example:8443", "", 200},
		{"http://p.example", "p.example:80", "http://p.example", "", 200},
		{"https://p.example", "p.example", "", "", 200},
		{"https://p.example", "127.0.0.1:7833", "http://127.0.0.1:7833", "same-origin", 200},
		{"https://p.example", "127.0.0.1:7833", "https://127.0.0.1:7833", "", 403},
		{"https://p.example", "127.0.0.1:7833", "https://p.example", "", 403},
		{"https://p.example", "p.example", "http://p.example", "", 403},
		{"https://p.example", "p.example", "https://q.example", "", 403},
		{"https://p.example", "p.example", "https://p.example.evil", "", 403},
		{"https://p.example", "p.example", "https://p.example:8443", "", 403},
		{"https://p.example", "p.example", "https://p.example", "cross-site", 403},
		{"https://p.example", "p.example", "null", "", 403},
		{"https://p.example", "p.example:80", "", "", 421},
		{"https://p.example", "p.example:7833", "", "", 421},
		{"https://p.example:8443", "p.example", "", "", 421},
		{"https://p.example", "evil.example", "https://p.example", "", 421},
		{"", "p.example", "https://p.example", "", 421},
	} {
		server := httpkit.New(httpkit.Config{
			Name: "test", Version: "1", Challenge: "Key", Log: slog.New(slog.DiscardHandler), PublicURL: test.public,
			Metrics: prometheus.NewRegistry(),
			Authenticate: func(http.ResponseWriter, *http.Request) (httpkit.Caller, error) {
				return httpkit.Caller{ID: "k", Permissions: access.Write}, nil
			},
		}, []httpkit.Route{{Pattern: "POST /play", Need: httpkit.Write, Handler: respond(http.StatusOK, "")}})
		r := httptest.NewRequest(http.MethodPost, "/play", nil)
		r.Host = test.host
		r.Header.Set("X-Forwarded-Host", "p.example")
		r.Header.Set("X-Forwarded-Proto", "https")
		for name, value := range map[string]string{"Origin": test.origin, "Sec-Fetch-Site": test.site} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		local := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7833}
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("public URL %q, Host %q, Origin %q, site %q: got %d, want %d", test.public, test.host, test.origin,
				test.site, w.Code, test.want)
		}
	}
}
