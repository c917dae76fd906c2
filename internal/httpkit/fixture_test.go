package httpkit_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/access"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
	"waxwing/internal/testenv"
)

// server is a small server whose only credential is the header "X-Key: good".
type server struct {
	url  string
	log  *testenv.Buffer
	stop func() // as at the end of the program; waits
}

func serve(t *testing.T, addr string, life context.Context, routes ...httpkit.Route) *server {
	t.Helper()
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	f := &server{url: "http://" + ln.Addr().String(), log: &testenv.Buffer{}}
	log := slog.New(slog.NewTextHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	h := httpkit.New(httpkit.Config{
		Name: "test", Version: "1", Challenge: "Key", Log: log, Metrics: prometheus.NewRegistry(), Hosts: []string{"named.example"}, HostSetting: "test-host",
		Authenticate: func(_ http.ResponseWriter, r *http.Request) (httpkit.Caller, error) {
			switch r.Header.Get("X-Key") {
			case "":
				return httpkit.Caller{}, httpkit.ErrNoCredential
			case "good":
				return httpkit.Caller{ID: "k1", Permissions: access.Read | access.Write, Life: life}, nil
			}
			return httpkit.Caller{}, fault.New(fault.Unauthenticated, "wrong key")
		},
	}, routes)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- httpkit.Serve(ctx, ln, h, log) }()
	f.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		f.stop()
	})
	return f
}

// do sends a request with headers as names and values.
func (f *server) do(t *testing.T, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(method, f.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
			continue
		}
		req.Header.Add(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, strings.TrimSpace(string(content))
}

func answer(status int, body string) httpkit.Handler {
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
		t.Fatalf("%s took longer than %v", what, limit)
	}
}
