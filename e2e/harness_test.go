// Package e2e proves the built binary from outside, as a user or a client meets it: real processes, real
// sound servers, real HTTP. Its tests are written from the specification and the contract, not from the code.
package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"waxwing/internal/testenv"
)

// program is what is under test: built once, static, as users get it.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "waxwing-e2e-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "waxwing")
	build := exec.Command("go", "build", "-trimpath", "-o", program, "waxwing")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		os.Exit(1)
	}
	testenv.Main(m, func() error {
		http.DefaultClient.CloseIdleConnections()
		return os.RemoveAll(dir)
	})
}

// server is a running `waxwing up`.
type server struct {
	t     *testing.T
	dir   string // its data folder
	env   []string
	args  []string
	alone bool                // a player without its catalog
	as    *syscall.Credential // nil: whoever runs the tests
	cmd   *exec.Cmd
	log   *lockedBuffer
	base  string // of the control API
	token string // the owner's
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// environment is that of a user with a home folder of their own and nothing else.
func environment(home string, extra ...string) []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_RUNTIME_DIR=" + home, "LANG=C.UTF-8"}
	return append(env, extra...)
}

// up starts the program on free ports with a data folder of its own and waits until it answers.
func up(t *testing.T, env []string, args ...string) *server {
	t.Helper()
	home := t.TempDir()
	s := &server{t: t, dir: filepath.Join(home, "data"), env: environment(home, env...), args: args}
	s.start()
	t.Cleanup(func() {
		s.stop()
		if t.Failed() {
			t.Logf("log of the server:\n%s", s.log)
		}
	})
	return s
}

// start runs the program; after a stop it comes back on the same data folder.
func (s *server) start() {
	s.t.Helper()
	_ = os.Remove(filepath.Join(s.dir, "running.json"))
	args := []string{"up", "--catalog-addr", "127.0.0.1:0"}
	if s.alone {
		args = []string{"player"}
	}
	args = append(append(args, "--data-dir", s.dir, "--player-addr", "127.0.0.1:0"), s.args...)
	s.log = &lockedBuffer{}
	s.cmd = exec.Command(program, args...)
	s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = s.env, s.log, s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Credential: s.as}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.eventually(20*time.Second, "the server to answer", func() bool {
		var run struct{ Player string }
		text, err := os.ReadFile(filepath.Join(s.dir, "running.json"))
		if err != nil || json.Unmarshal(text, &run) != nil || run.Player == "" {
			return false
		}
		s.base = "http://" + run.Player
		resp, err := http.Get(s.base + "/health")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == 200
	})
	secret, err := os.ReadFile(filepath.Join(s.dir, "owner.token"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.token = strings.TrimSpace(string(secret))
}

// stop ends the program as an operator would.
func (s *server) stop() {
	if s.cmd.ProcessState != nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	done := make(chan error)
	go func() { done <- s.cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil { // it has crashed, perhaps long before we asked
			s.t.Errorf("the server ended with %v", err)
		}
	case <-time.After(15 * time.Second):
		_ = s.cmd.Process.Kill()
		<-done
		s.t.Error("the server did not end within 15 s of SIGTERM")
	}
}

// kill ends it as a crash would.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// eventually waits for a condition.
func (s *server) eventually(within time.Duration, what string, cond func() bool) {
	s.t.Helper()
	deadline := time.Now().Add(within)
	for !cond() {
		if time.Now().After(deadline) {
			s.t.Fatalf("waited %v for %s\nlog: %s", within, what, s.log)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// reply is an answer of the API.
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
		t.Fatalf("%d %q is not a JSON object: %v", r.status, r.body, err)
	}
	return m
}

// request sends one request with the owner's token. A string body goes as it is, with the JSON content type.
func (s *server) request(method, path, body string, header ...string) reply {
	s.t.Helper()
	header = append([]string{"Authorization", "Bearer " + s.token}, header...)
	if body != "" {
		header = append([]string{"Content-Type", "application/json"}, header...)
	}
	return send(s.t, method, s.base+path, body, header...)
}

// send sends a request; header is pairs, an empty value leaves the header out.
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

// get reads a path and decodes it.
func (s *server) get(path string) map[string]any {
	s.t.Helper()
	r := s.request("GET", path, "")
	if r.status != 200 {
		s.t.Fatalf("GET %s: %d %s", path, r.status, r.body)
	}
	return r.json(s.t)
}

// post sends a command that must succeed.
func (s *server) post(path, body string) map[string]any {
	s.t.Helper()
	r := s.request("POST", path, body)
	if r.status != 200 {
		s.t.Fatalf("POST %s %s: %d %s", path, body, r.status, r.body)
	}
	return r.json(s.t)
}

// run runs the program with this server's data folder and returns what it printed.
func (s *server) run(args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	return command(s.t, s.env, append([]string{args[0]}, append(args[1:], "--data-dir", s.dir)...)...)
}

func command(t *testing.T, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var out, errs bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &out, &errs
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
