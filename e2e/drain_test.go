package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// catalogServer is a running `waxwing catalog` and a key for it.
type catalogServer struct {
	cmd    *exec.Cmd
	log    *testenv.Buffer
	base   string
	probe  string // URL of the operator's listener
	data   string // data folder
	key    string
	ended  chan struct{}
	isDone atomic.Bool
}

func freeAddr(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// startCatalog starts a catalog with the demo music and waits until it is ready.
func startCatalog(t *testing.T, args ...string) *catalogServer {
	t.Helper()
	home := t.TempDir()
	addr, probe := freeAddr(t), freeAddr(t)
	c := &catalogServer{log: &testenv.Buffer{}, base: "http://" + addr, probe: "http://" + probe,
		ended: make(chan struct{})}
	data := filepath.Join(home, "data")
	c.data = data
	c.cmd = exec.Command(program, append([]string{"catalog", "--data-dir", data, "--catalog-addr", addr,
		"--metrics-addr", probe, "--rate-limit", "0"}, args...)...)
	c.cmd.Env, c.cmd.Stdout, c.cmd.Stderr = environment(home), c.log, c.log
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { defer close(c.ended); _ = c.cmd.Wait(); c.isDone.Store(true) }()
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		<-c.ended
		if t.Failed() {
			t.Logf("log of %s:\n%s", c.base, c.log)
		}
	})
	for deadline := time.Now().Add(30 * time.Second); !c.ready(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) || c.isDone.Load() {
			t.Fatalf("the catalog did not become ready within 30s:\n%s", c.log)
		}
	}
	secret, errs, code := command(t, environment(home), "key", "create", "--name", "load", "--permission", "read",
		"--permission", "write", "--data-dir", data)
	if code != 0 {
		t.Fatalf("key create: got exit code %d, errors %q; want 0", code, errs)
	}
	c.key = strings.TrimSpace(secret)
	return c
}

// ready requests /ready as a load balancer does, over a new connection each time.
func (c *catalogServer) ready() bool {
	client := &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(c.probe + "/ready")
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// endsWithin waits for the end of the process and returns how long it took.
func (c *catalogServer) endsWithin(t *testing.T, limit time.Duration) time.Duration {
	t.Helper()
	start := time.Now()
	select {
	case <-c.ended:
	case <-time.After(limit):
		t.Fatalf("the server did not exit within %v\n%s", limit, c.log)
	}
	return time.Since(start)
}

// TestRollingRestartFailsNoRequest stops one of two servers under load. A client that follows
// /ready, as a load balancer does, gets a response to every request.
func TestRollingRestartFailsNoRequest(t *testing.T) {
	servers := []*catalogServer{startCatalog(t, "--drain", "3s"), startCatalog(t, "--drain", "3s")}
	var inRotation [2]atomic.Bool
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for i, s := range servers {
		inRotation[i].Store(true)
		all.Go(func() {
			for ctx.Err() == nil {
				inRotation[i].Store(s.ready())
				time.Sleep(50 * time.Millisecond) // the balancer's interval
			}
		})
	}
	var responses [2]atomic.Int64
	var failed atomic.Int64
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	defer client.CloseIdleConnections()
	for worker := range 8 {
		all.Go(func() {
			for n := worker; ctx.Err() == nil; n++ {
				i := n % 2
				if !inRotation[i].Load() {
					i = 1 - i
				}
				if err := servers[i].work(client); err != nil {
					failed.Add(1)
					t.Errorf("server %d: %v", i, err)
					return
				}
				responses[i].Add(1)
			}
		})
	}
	waitFor(t, "load on both servers", func() bool { return responses[0].Load() > 100 && responses[1].Load() > 100 })
	before := responses[1].Load()
	if err := servers[0].cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	took := servers[0].endsWithin(t, 15*time.Second)
	if code := servers[0].cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code: got %d, want 0", code)
	}
	waitFor(t, "requests to the other server", func() bool { return responses[1].Load() > before+200 })
	stop()
	all.Wait()
	t.Logf("%d + %d requests succeeded, %d failed; the server shut down in %v", responses[0].Load(), responses[1].Load(),
		failed.Load(), took.Round(time.Millisecond))
}

// work sends a read and a write. The write has no Idempotency-Key, so the client does not repeat
// it.
func (c *catalogServer) work(client *http.Client) error {
	for _, q := range []struct{ method, path, body string }{
		{"GET", "/api/songs?limit=5", ""},
		{"POST", "/api/playlists", `{"name":"x"}`},
	} {
		req, err := http.NewRequest(q.method, c.base+q.path, strings.NewReader(q.body))
		if err != nil {
			return err
		}
		req.Header.Set("x-api-key", c.key)
		req.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s %s: got %d %.200s, want 200: %w", q.method, q.path, resp.StatusCode, body, err)
		}
	}
	return nil
}

func waitFor(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); !cond(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) || t.Failed() {
			t.Fatalf("timeout: waited for %s", what)
		}
	}
}

// TestShutdownEndsOpenStreams: a hundred listeners get a shutdown event with a retry time and do
// not delay the shutdown; the exit code is 0.
func TestShutdownEndsOpenStreams(t *testing.T) {
	const listeners = 100
	s := launch(t, nil, "--output", "null", "--no-mpris")
	client := &http.Client{Transport: &http.Transport{}}
	var notified, connected atomic.Int64
	var all sync.WaitGroup
	for range listeners {
		all.Go(func() {
			req, err := http.NewRequest("GET", s.base+"/events", nil)
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Authorization", "Bearer "+s.token)
			resp, err := client.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			connected.Add(1)
			stream, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Errorf("event stream: got %v, want a regular end", err)
			}
			if strings.Contains(string(stream), "\nretry: 1000\n") {
				notified.Add(1)
			}
		})
	}
	waitFor(t, "all listeners", func() bool { return connected.Load() == listeners })
	start := time.Now()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	err := s.cmd.Wait()
	took := time.Since(start)
	all.Wait()
	if err != nil || took > 8*time.Second {
		t.Errorf("shutdown: got error %v after %v, want none within 8s", err, took)
	}
	if notified.Load() != listeners {
		t.Errorf("listeners that received the shutdown event: got %d, want %d", notified.Load(), listeners)
	}
	t.Logf("shut down after %v with %d listeners", took.Round(time.Millisecond), listeners)
}

// TestSecondSignalExitsImmediately: a second signal ends the drain.
func TestSecondSignalExitsImmediately(t *testing.T) {
	c := startCatalog(t, "--drain", "10m")
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the end of readiness", func() bool { return !c.ready() })
	if r := send(t, "GET", c.base+"/health", ""); r.status != 200 {
		t.Fatalf("/health while draining: got %d, want 200", r.status)
	}
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	c.endsWithin(t, 5*time.Second)
}

// TestDatabaseFromFile: the URL of the database, with its password, is neither in the process list
// nor in the environment.
func TestDatabaseFromFile(t *testing.T) {
	dir := t.TempDir()
	db, file := filepath.Join(dir, "elsewhere.db"), filepath.Join(dir, "db.url")
	if err := os.WriteFile(file, []byte(db+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	out, errs, code := command(t, environment(home), "key", "create", "--name", "x",
		"--data-dir", filepath.Join(home, "data"), "--db-file", file)
	if code != 0 || out == "" {
		t.Fatalf("key create: got exit code %d, output %q, errors %q; want a key", code, out, errs)
	}
	if _, err := os.Stat(db); err != nil {
		t.Errorf("catalog named by --db-file: got %v, want a file", err)
	}
	if _, err := os.Stat(filepath.Join(home, "data", "catalog.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("catalog in the data folder: got %v, want none", err)
	}
	_, errs, code = command(t, environment(home, "WAXWING_DB=x.db"), "key", "list", "--db-file", file)
	if code != 2 || !strings.Contains(errs, "use one of them") {
		t.Errorf("two databases: got exit code %d, errors %q; want 2 and \"use one of them\"", code, errs)
	}
}
