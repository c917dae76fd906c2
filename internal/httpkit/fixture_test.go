package httpkit_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/access"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
	"waxwing/internal/testenv"
	"waxwing/internal/testenv/apitest"
)

// server is a test server whose only credential is the header "X-Key: good".
type server struct {
	url  string
	log  *testenv.Buffer
	stop func() // stops the server as the program does and waits
}

// serve starts a server. Its credential ends with credential; nil means never.
func serve(t *testing.T, addr string, credential context.Context, routes ...httpkit.Route) *server {
	t.Helper()
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	f := &server{url: "http://" + ln.Addr().String(), log: &testenv.Buffer{}}
	log := slog.New(slog.NewTextHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	h := httpkit.New(httpkit.Config{
		Name: "test", Version: "1", Challenge: "Key", Log: log, Metrics: prometheus.NewRegistry(),
		Hosts: []string{"named.example"}, HostSetting: "test-host",
		Authenticate: func(_ http.ResponseWriter, r *http.Request) (httpkit.Caller, error) {
			switch r.Header.Get("X-Key") {
			case "":
				return httpkit.Caller{}, httpkit.ErrNoCredential
			case "good":
				return httpkit.Caller{ID: "k1", Permissions: access.Read | access.Write, Context: credential}, nil
			}
			return httpkit.Caller{}, fault.New(fault.Unauthenticated, "wrong key")
		},
	}, routes)
	f.stop = apitest.Serve(t, ln, h, log)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return f
}

// do sends a request. headers alternates names and values.
func (f *server) do(t *testing.T, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	resp, content := apitest.Send(t, http.DefaultClient, apitest.NewRequest(t, method, f.url+path, body, headers...))
	return resp, strings.TrimSpace(content)
}

// respond returns a handler that sends a fixed reply.
func respond(status int, body string) httpkit.Handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		return httpkit.WriteBody(w, status, "text/plain", []byte(body))
	}
}

// within fails the test if f takes longer than the limit.
func within(t *testing.T, limit time.Duration, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(limit):
		t.Fatalf("timeout after %v: waited for %s", limit, what)
	}
}
