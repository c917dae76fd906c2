package apitest

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"waxwing/internal/httpkit"
)

// Listen listens on a free port of the loopback interface.
func Listen(t testing.TB) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// Serve serves h until stop is called or the test ends. stop shuts down gracefully and waits.
func Serve(t testing.TB, ln net.Listener, h http.Handler, log *slog.Logger) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- httpkit.Serve(ctx, ln, h, log) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// NewRequest creates a request. headers are names and values; "Host" sets the host of the request.
func NewRequest(t testing.TB, method, url, body string, headers ...string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
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
	return req
}

// Send sends a request and reads the whole reply, or the first event of a stream, which does not
// end.
func Send(t testing.TB, client *http.Client, req *http.Request) (resp *http.Response, body string) {
	t.Helper()
	resp, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", req.Method, req.URL.Path, err)
	}
	defer resp.Body.Close()
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		for lines := bufio.NewScanner(resp.Body); lines.Scan() && lines.Text() != ""; {
			body += lines.Text() + "\n"
		}
		return resp, body
	}
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", req.Method, req.URL.Path, err)
	}
	return resp, string(content)
}
