package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// stmpsVersion is the terminal client that the test builds.
const stmpsVersion = "github.com/spezifisch/stmps@v0.0.2"

// TestTerminalClient drives stmps in a pseudo-terminal: it lists the artists, adds random songs to
// its queue and plays one.
func TestTerminalClient(t *testing.T) {
	needsApps(t, "go", "gcc", "script", "pkg-config")
	client := buildSTMPS(t)
	s := startForApp(t, "stmps")
	home := t.TempDir()
	folder := filepath.Join(home, ".config", "stmp")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf("[auth]\nusername = '%s'\npassword = '%s'\n[server]\nhost = '%s'\nscrobble = true\n",
		s.user, s.secret, s.catalog)
	if err := os.WriteFile(filepath.Join(folder, "stmp.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	// The kernel has no sound card here; mpv plays to its null output.
	cmd := exec.CommandContext(ctx, "script", "-qfec", "stty cols 160 rows 50; exec "+client, "/dev/null")
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "TERM=xterm")
	screen := &testenv.Buffer{}
	cmd.Stdout, cmd.Stderr = screen, screen
	keys, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		_ = cmd.Wait() // it was killed
		if t.Failed() {
			t.Logf("screen:\n%s", screen)
		}
	}()
	press := func(text string) {
		t.Helper()
		if _, err := keys.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	s.eventually(30*time.Second, "the artists", func() bool { return strings.Contains(screen.String(), "Ada Vale") })
	press("r") // random songs into the queue
	press("2") // the queue
	s.eventually(15*time.Second, "the queue", func() bool { return s.requests("/rest/getRandomSongs") > 0 })
	time.Sleep(500 * time.Millisecond)
	press("p") // play
	s.eventually(15*time.Second, "a stream", func() bool { return s.requests("/rest/stream") > 0 })
	press("Q")
}

// requests returns how many requests of a route of the Subsonic API succeeded.
func (s *server) requests(route string) (n int) {
	s.t.Helper()
	resp, err := http.Get(s.catalog + "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "waxwing_http_requests_total{") && strings.Contains(line, `route="`+route+`"`) &&
			strings.Contains(line, `status="20`) {
			var count int
			if _, err := fmt.Sscan(line[strings.LastIndexByte(line, ' ')+1:], &count); err == nil {
				n += count
			}
		}
	}
	return n
}

// buildSTMPS builds the client from the module cache.
func buildSTMPS(t *testing.T) string {
	t.Helper()
	run := func(dir string, args ...string) []byte {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "CGO_ENABLED=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return out
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(run("", "go", "mod", "download", "-json", stmpsVersion), &module); err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS(module.Dir)); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "stmps")
	run(work, "go", "build", "-o", target, ".")
	return target
}
