// Package e2e tests Waxwing from outside, as a user or a client sees it: real HTTP, real sound
// servers, real commands. [start] runs a server in the test's own process, where the race detector
// sees it; [launch] runs the built program, for tests that need a process: signals, crashes,
// limits, ownership.
package e2e

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/internal/app"
	"waxwing/internal/testenv"
)

// server is a running catalog and player, or a player alone.
type server struct {
	t       *testing.T
	dir     string   // data folder
	env     []string // environment of commands and, if it is a process, of the server
	log     *testenv.Buffer
	base    string // URL of the control API
	catalog string // URL of the catalog API; "" if it runs elsewhere
	token   string // token of the owner

	config *app.Config // configuration of a server in this process; nil: see process
	app    *app.App    // nil after stop
	cancel func()
	process
}

// start runs a server in this process and stops it with the test. Unless set changes it, it plays
// the demo library to the null output, listens on free ports and does not use the session bus.
func start(t *testing.T, set ...func(*app.Config)) *server {
	t.Helper()
	home := t.TempDir()
	dir := app.DataDir(filepath.Join(home, "data"))
	s := &server{t: t, dir: string(dir), env: environment(home), config: &app.Config{
		Version: "test", DataDir: dir, AuditFile: dir.File(app.AuditFile),
		Catalog: &app.CatalogConfig{Addr: "127.0.0.1:0", ScanEvery: time.Hour, RateLimit: 50, TranscodeCache: 64 << 20},
		Player:  &app.PlayerConfig{Addr: "127.0.0.1:0", Output: "null", NoMPRIS: true},
	}}
	for _, f := range set {
		f(s.config)
	}
	s.start()
	s.stopWithTest()
	return s
}

func withOutput(output string) func(*app.Config) {
	return func(c *app.Config) { c.Player.Output = output }
}
func withMusic(dir string) func(*app.Config) {
	return func(c *app.Config) { c.Catalog.Music = []string{dir} }
}
func withMPRIS(c *app.Config)        { c.Player.NoMPRIS = false }
func withoutRateLimit(c *app.Config) { c.Catalog.RateLimit = 0 }

// setenv sets variables of this process, and thus of the servers in it, until the test ends.
func setenv(t *testing.T, env []string) {
	t.Helper()
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
}

func (s *server) stopWithTest() {
	s.t.Cleanup(func() {
		s.stop()
		if s.t.Failed() {
			s.t.Logf("log of the server:\n%s", s.log)
		}
	})
}

// start starts the server; after a stop, again on the same data folder.
func (s *server) start() {
	s.t.Helper()
	s.log = &testenv.Buffer{}
	if s.config == nil {
		s.startProcess()
	} else {
		ctx, cancel := context.WithCancel(context.Background())
		s.config.Log = slog.New(slog.NewTextHandler(s.log, nil))
		a, err := app.Up(ctx, *s.config)
		if err != nil {
			cancel()
			s.t.Fatal(err)
		}
		s.app, s.cancel, s.base, s.catalog = a, cancel, a.PlayerURL, a.CatalogURL
	}
	secret, err := os.ReadFile(filepath.Join(s.dir, app.OwnerTokenFile))
	if err != nil {
		s.t.Fatal(err)
	}
	s.token = strings.TrimSpace(string(secret))
}

// stopTime limits a graceful shutdown.
const stopTime = 15 * time.Second

// stop shuts the server down gracefully, if it runs.
func (s *server) stop() {
	if s.config == nil {
		s.stopProcess()
		return
	}
	if s.app == nil {
		return
	}
	start := time.Now()
	s.cancel()
	if err := s.app.Wait(); err != nil {
		s.t.Errorf("shutdown of the server: got error %v, want none", err)
	}
	if took := time.Since(start); took > stopTime {
		s.t.Errorf("time of the shutdown: got %v, want at most %v", took, stopTime)
	}
	s.app = nil
}

// eventually waits for a condition.
func (s *server) eventually(within time.Duration, what string, cond func() bool) {
	s.t.Helper()
	deadline := time.Now().Add(within)
	for !cond() {
		if time.Now().After(deadline) {
			s.t.Fatalf("timeout after %v: waited for %s\nlog: %s", within, what, s.log)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// reply is a response of the API.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// json decodes the body as an object.
func (r reply) json(t *testing.T) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(r.body, &m); err != nil {
		t.Fatalf("body of status %d: got %q, want a JSON object: %v", r.status, r.body, err)
	}
	return m
}

// isError reports whether the body is an error: a message for a person and a code for programs,
// nothing else.
func (r reply) isError(t *testing.T) bool {
	t.Helper()
	body := r.json(t)
	message, _ := body["error"].(string)
	code, _ := body["code"].(string)
	return len(body) == 2 && len(message) >= 8 && code != ""
}

// request sends a request with the owner's token and the JSON content type.
func (s *server) request(method, path, body string, header ...string) reply {
	s.t.Helper()
	header = append([]string{"Authorization", "Bearer " + s.token}, header...)
	if body != "" {
		header = append([]string{"Content-Type", "application/json"}, header...)
	}
	return send(s.t, method, s.base+path, body, header...)
}

// send sends a request. header lists names and values; an empty value removes the header.
func send(t *testing.T, method, url, body string, header ...string) reply {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i+1] == "" {
			req.Header.Del(header[i])
			continue
		}
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, b}
}

// get requests a path, which must succeed, and decodes the reply.
func (s *server) get(path string) map[string]any {
	s.t.Helper()
	r := s.request("GET", path, "")
	if r.status != 200 {
		s.t.Fatalf("GET %s: got %d %s, want 200", path, r.status, r.body)
	}
	return r.json(s.t)
}

// post sends a command that must succeed.
func (s *server) post(path, body string) map[string]any {
	s.t.Helper()
	r := s.request("POST", path, body)
	if r.status != 200 {
		s.t.Fatalf("POST %s %s: got %d %s, want 200", path, body, r.status, r.body)
	}
	return r.json(s.t)
}
