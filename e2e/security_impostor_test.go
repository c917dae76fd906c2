package e2e

import (
	"bufio"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"waxwing/internal/app"
	"waxwing/internal/testenv"
)

// impostor is a program that took the port of a player. It replies 200 to every request and records
// what it received.
type impostor struct {
	mu       sync.Mutex
	received []string
}

func (i *impostor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var text strings.Builder
	_ = r.Write(&text)
	i.mu.Lock()
	i.received = append(i.received, text.String())
	i.mu.Unlock()
	w.Header().Set("X-Waxwing-Version", "fake")
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "signature": strings.Repeat("0", 64)})
}

// all returns everything received so far as one text, and the number of requests.
func (i *impostor) all() (text string, requests int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return strings.Join(i.received, "\n"), len(i.received)
}

func (i *impostor) listen(t *testing.T, addr string) {
	t.Helper()
	var ln net.Listener
	var err error
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if ln, err = net.Listen("tcp", addr); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	srv := &http.Server{Handler: i}
	go func() { _ = srv.Serve(ln) }()
	t.Cleanup(func() { _ = srv.Close() })
}

// TestCommandsSendNoTokenToAnotherProgram kills the player and lets another program take its port.
func TestCommandsSendNoTokenToAnotherProgram(t *testing.T) {
	t.Parallel()
	s := launch(t, nil, "--output", "null", "--no-mpris")
	if _, errs, code := s.run("pause"); code != 0 {
		t.Fatalf("before the kill: %d %s", code, errs)
	}
	s.kill()
	addr := strings.TrimPrefix(s.base, "http://")
	var thief impostor
	thief.listen(t, addr)
	tried, wrong := 0, 0
	try := func(env []string, wantSent bool, args ...string) {
		t.Helper()
		tried++
		_, before := thief.all()
		args = append(args, "--data-dir", s.dir)
		out, errs, code := command(t, append(s.env, env...), args...)
		text, after := thief.all()
		if strings.Contains(text, "wxt_") || strings.Contains(text, s.token) || (after > before) != wantSent {
			wrong++
			t.Errorf("%v %v sent %d requests:\n%s", env, args, after-before, text)
		}
		if code != 3 || out != "" || !strings.Contains(errs, "waxwing") {
			wrong++
			t.Errorf("%v %v: got %d %q %q, want 3 and how to start the player", env, args, code, out, errs)
		}
	}
	commands := [][]string{
		{"pause"}, {"play"}, {"toggle"}, {"next"}, {"previous"}, {"status"}, {"status", "--watch"}, {"status", "--json"},
		{"queue"}, {"queue", "clear"}, {"volume"}, {"volume", "10"}, {"seek", "0:10"}, {"shuffle"}, {"repeat"},
		{"search", "a"}, {"output"}, {"pair"}, {"pair", "approve", "1234"}, {"open", "--print"},
	}
	for _, args := range commands {
		try(nil, false, args...)
	}
	try([]string{"WAXWING_PLAYER_ADDR=" + addr}, false, "pause")
	try([]string{"WAXWING_TOKEN=" + s.token}, false, "pause")
	try(nil, false, "pause", "--player-addr", addr)

	// A system without such sockets, such as Windows: the command asks who is there first.
	without, err := json.Marshal(app.Running{Player: addr, PID: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, app.RunningFile), without, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range commands {
		try(nil, true, args...)
	}
	try(nil, true, "pause", "--player-addr", addr)
	try([]string{"WAXWING_TOKEN=" + s.token}, true, "pause")
	if text, _ := thief.all(); !strings.Contains(text, "POST /identity") {
		t.Errorf("received\n%s\nwant requests to /identity", text)
	}
	testenv.Report(t, testenv.LocalAccounts, testenv.Tally{Inputs: tried, Faults: 1, Violations: wrong,
		Note: "commands after kill -9 while another program holds the port: 0 tokens sent"})
}

// TestControlSocketServesTheOwner: every command works without a token, also after a crash and in
// a data folder with a long path.
func TestControlSocketServesTheOwner(t *testing.T) {
	t.Parallel()
	s := launch(t, nil, "--output", "null", "--no-mpris")
	for range 2 {
		if err := os.Remove(filepath.Join(s.dir, app.OwnerTokenFile)); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"pause"}, {"status"}, {"queue"}, {"pair"}} {
			if _, errs, code := s.run(args...); code != 0 {
				t.Errorf("%v: %d %s", args, code, errs)
			}
		}
		s.kill()
		s.start()
	}
	if s.config == nil { // a plain client of the socket: no Host check passes but the socket's own
		conn, err := net.Dial("unix", filepath.Join(s.dir, app.ControlSocket))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		for host, want := range map[string]int{"localhost": 200, "evil.example": 421, "127.0.0.1": 421} {
			_, _ = conn.Write([]byte("GET /token HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || resp.StatusCode != want {
				t.Errorf("Host %s: got %v %v, want %d", host, resp, err, want)
			}
		}
	}
}
