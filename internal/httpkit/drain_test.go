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

// TestStopTellsEndlessStreamsAndFinishesAnswers: a stream that has no end of its own hears of the
// stop and has its last word; an answer under way is sent whole.
func TestStopTellsEndlessStreamsAndFinishesAnswers(t *testing.T) {
	began, release := make(chan struct{}), make(chan struct{})
	f := serve(
		t,
		"127.0.0.1:0",
		nil,
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
				close(began)
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
	var answers sync.WaitGroup
	answers.Go(func() {
		if resp, body := f.do(t, "POST", "/slow", ""); resp.StatusCode != 200 || body != `"done"` {
			t.Errorf("the answer under way was cut: %d %s", resp.StatusCode, body)
		}
	})
	<-began
	stopped := make(chan struct{})
	go func() { defer close(stopped); f.stop() }()
	within(t, time.Second, "the end of the events", func() {
		if all, err := io.ReadAll(events.Body); err != nil || string(all) != "hello drain notice" {
			t.Errorf("the listener heard %q, %v", all, err)
		}
	})
	close(release)
	answers.Wait()
	within(t, 5*time.Second, "stopping", func() { <-stopped })
}

// TestStopCutsWhatDoesNotEnd: a client that never reads its file holds the server up for the time
// that answers under way get, and no longer.
func TestStopCutsWhatDoesNotEnd(t *testing.T) {
	ended := make(chan error, 1)
	f := serve(
		t,
		"127.0.0.1:0",
		nil,
		httpkit.Route{Pattern: "GET /s", Need: httpkit.Read, Kind: httpkit.Stream, Handler: endless(ended)},
	)
	if _, err := f.deaf(t, "/s").Read(make([]byte, 1)); err != nil { // it has begun
		t.Fatal(err)
	}
	began := time.Now()
	within(t, 7*time.Second, "stopping", f.stop)
	within(t, time.Second, "the end of the stream", func() { <-ended })
	if took := time.Since(began); took < 4*time.Second {
		t.Errorf("the stream was cut after %v", took)
	}
}

// TestFarewellMovesClients: from the moment that a server is leaving, each answer asks for a new
// connection.
func TestFarewellMovesClients(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	leaving, leave := context.WithCancel(t.Context())
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
	go func() {
		ended <- httpkit.Serve(ctx, ln, httpkit.Drain(leaving, hello), slog.New(slog.DiscardHandler))
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
			t.Fatalf("%q %v", body, err)
		}
		return resp.Close
	}
	if closes() {
		t.Error("a server that stays closes connections")
	}
	leave()
	if !closes() {
		t.Error("a server that leaves keeps connections")
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// TestOperator: the operator's listener knows three paths, wants no credential and answers to its
// plain address.
func TestOperator(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil { // a system with one loopback address tests less
		ln, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		t.Fatal(err)
	}
	var leaving atomic.Bool
	registry := prometheus.NewRegistry()
	server := httpkit.NewOperator(
		httpkit.Operator{
			Version: "1",
			Hosts:   []string{"metrics.example"},
			Metrics: registry,
			Log:     slog.New(slog.DiscardHandler),
			Ready: func(context.Context) error {
				if leaving.Load() {
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
	ask := func(path, host string) (int, string) {
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
		if status, body := ask(c.path, c.host); status != c.status || !strings.Contains(body, c.has) {
			t.Errorf("%s as %s: %d %s", c.path, c.host, status, body)
		}
	}
	plain, err := net.Dial("tcp", own)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	fmt.Fprint(plain, "GET /ready HTTP/1.0\r\n\r\n") // as load balancers ask
	if line, err := io.ReadAll(plain); err != nil || !strings.HasPrefix(string(line), "HTTP/1.0 200 ") {
		t.Errorf("a probe without a Host: %q %v", line, err)
	}
	leaving.Store(true)
	if status, body := ask("/ready", own); status != 503 || !strings.Contains(body, "this server is stopping") {
		t.Errorf("%d %s", status, body)
	}
}
