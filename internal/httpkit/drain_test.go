package httpkit_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// TestStopNotifiesStreamsAndFinishesReplies checks that an endless stream can send a last message
// when the server stops, and that a reply in progress is completed.
func TestStopNotifiesStreamsAndFinishesReplies(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	f := serve(t, "127.0.0.1:0", nil,
		httpkit.Route{
			Pattern: "GET /events",
			Need:    httpkit.Public,
			Kind:    httpkit.Stream,
			Handler: func(w http.ResponseWriter, r *http.Request) error {
				_, _ = io.WriteString(w, "hello ")
				_ = http.NewResponseController(w).Flush()
				<-httpkit.Stopping(r.Context())
				_, err := io.WriteString(w, "drain notice")
				return err
			},
		},
		httpkit.Route{
			Pattern: "POST /slow",
			Need:    httpkit.Public,
			Handler: func(w http.ResponseWriter, r *http.Request) error {
				close(started)
				<-release
				if err := r.Context().Err(); err != nil {
					return err
				}
				return httpkit.WriteJSON(w, 200, "done")
			},
		},
	)
	events, err := http.Get(f.url + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer events.Body.Close()
	var replies sync.WaitGroup
	replies.Go(func() {
		if resp, body := f.do(t, "POST", "/slow", ""); resp.StatusCode != 200 || body != `"done"` {
			t.Errorf("reply in progress: got %d %s, want 200 \"done\"", resp.StatusCode, body)
		}
	})
	<-started
	stopped := make(chan struct{})
	go func() { defer close(stopped); f.stop() }()
	within(t, time.Second, "the end of the events", func() {
		if all, err := io.ReadAll(events.Body); err != nil || string(all) != "hello drain notice" {
			t.Errorf("events: got %q, %v; want %q", all, err, "hello drain notice")
		}
	})
	close(release)
	replies.Wait()
	within(t, 5*time.Second, "stopping", func() { <-stopped })
}

// TestStopEndsStalledStreamsAfterDrainTime checks that a client that does not read delays the stop
// by the drain time and no longer.
func TestStopEndsStalledStreamsAfterDrainTime(t *testing.T) {
	ended := make(chan error, 1)
	f := serve(t, "127.0.0.1:0", nil,
		httpkit.Route{Pattern: "GET /s", Need: httpkit.Read, Kind: httpkit.Stream, Handler: endless(ended)},
	)
	if _, err := f.openUnread(t, "/s").Read(make([]byte, 1)); err != nil { // the stream has begun
		t.Fatal(err)
	}
	started := time.Now()
	within(t, 7*time.Second, "stopping", f.stop)
	within(t, time.Second, "the end of the stream", func() { <-ended })
	if took := time.Since(started); took < 4*time.Second {
		t.Errorf("the stream ended after %v, want at least 4s", took)
	}
}

// TestDrainingServerClosesConnections checks that a server closes the connection after each reply
// once it drains, and not before.
func TestDrainingServerClosesConnections(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	draining, drain := context.WithCancel(t.Context())
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
	go func() {
		ended <- httpkit.Serve(ctx, ln, httpkit.Drain(draining, hello), slog.New(slog.DiscardHandler))
	}()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	closes := func() bool {
		t.Helper()
		resp, err := client.Get("http://" + ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "hello" {
			t.Fatalf("got %q, %v; want hello", body, err)
		}
		return resp.Close
	}
	if closes() {
		t.Error("before the drain: the connection was closed, want it kept open")
	}
	drain()
	if !closes() {
		t.Error("during the drain: the connection was kept open, want it closed")
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// TestOperatorServesProbesWithoutCredential checks the three paths of the operator's listener and
// that it accepts its IP address as the host.
func TestOperatorServesProbesWithoutCredential(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil { // not every system has 127.0.0.2
		ln, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		t.Fatal(err)
	}
	var stopping atomic.Bool
	registry := prometheus.NewRegistry()
	server := httpkit.NewOperator(
		httpkit.Operator{
			Version: "1",
			Hosts:   []string{"metrics.example"},
			Metrics: registry, AllMetrics: registry,
			Log: slog.New(slog.DiscardHandler),
			Ready: func(context.Context) error {
				if stopping.Load() {
					return fault.New(fault.Unavailable, "this server is stopping")
				}
				return nil
			},
		},
	)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- httpkit.Serve(ctx, ln, server, slog.New(slog.DiscardHandler)) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	port := ln.Addr().(*net.TCPAddr).Port
	get := func(path, host string) (int, string) {
		t.Helper()
		req, err := http.NewRequest("GET", "http://"+ln.Addr().String()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host, req.Close = host, true
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	own := ln.Addr().String()
	for _, c := range []struct {
		path, host string
		status     int
		has        string
	}{
		{"/health", own, 200, `"running"`},
		{"/ready", own, 200, `"ready"`},
		{"/metrics", own, 200, `waxwing_http_requests_total{route="GET /health",server="operator",status="200"} 1`},
		{"/health", "metrics.example", 200, `"running"`},
		{"/api/songs", own, 404, "error"},
		{"/health", "evil.example", 421, "error"},
		{"/health", "127.0.0.3", 421, "error"},
		{"/health", fmt.Sprintf("10.0.0.1:%d", port), 421, "error"},
	} {
		if status, body := get(c.path, c.host); status != c.status || !strings.Contains(body, c.has) {
			t.Errorf("%s with host %s: got %d %s, want %d %s", c.path, c.host, status, body, c.status, c.has)
		}
	}
	plain, err := net.Dial("tcp", own)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	fmt.Fprint(plain, "GET /ready HTTP/1.0\r\n\r\n") // some load balancers send no Host
	if reply, err := io.ReadAll(plain); err != nil || !strings.HasPrefix(string(reply), "HTTP/1.0 200 ") {
		t.Errorf("a probe without a Host: got %q, %v; want status 200", reply, err)
	}
	stopping.Store(true)
	if status, body := get("/ready", own); status != 503 || !strings.Contains(body, "this server is stopping") {
		t.Errorf("/ready while stopping: got %d %s, want 503", status, body)
	}
}
