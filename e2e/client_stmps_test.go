package e2e

import (
	"context"
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

// TestTerminalClient drives stmps in a pseudo-terminal: it lists the artists, adds random songs to
// its queue, plays them and reports that.
func TestTerminalClient(t *testing.T) {
	needsApps(t, "stmps", "script")
	s := startForApp(t, "stmps")
	home := t.TempDir()
	writeSettings(t, filepath.Join(home, ".config", "stmp", "stmp.toml"), fmt.Sprintf(
		"[auth]\nusername = '%s'\npassword = '%s'\n[server]\nhost = '%s'\nscrobble = true\n", s.user, s.secret, s.catalog))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "script", "-qfec", "stty cols 160 rows 50; exec stmps", "/dev/null")
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
			text := screen.String()
			t.Logf("screen:\n%q", text[max(0, len(text)-2000):])
		}
	}()
	press := func(text string) {
		t.Helper()
		if _, err := keys.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	s.eventually(30*time.Second, "the artists", func() bool { return strings.Contains(screen.String(), "Neon Kōen") })
	press("r") // random songs into the queue
	s.eventually(20*time.Second, "random songs", func() bool { return s.requests("/rest/getRandomSongs") > 0 })
	press("2") // the queue
	var pressed time.Time
	s.eventually(20*time.Second, "a stream", func() bool {
		if s.requests("/rest/stream") > 0 {
			return true
		}
		if time.Since(pressed) > 2*time.Second { // it has no effect before the songs are in the queue
			press("p") // plays or pauses
			pressed = time.Now()
		}
		return false
	})
	s.eventually(20*time.Second, "a report", func() bool { return s.requests("/rest/scrobble") > 0 })
	press("Q") // it saves the queue and ends
	s.eventually(20*time.Second, "the saved queue", func() bool { return s.requests("/rest/savePlayQueue") > 0 })
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
		if strings.HasPrefix(line, "waxwing_http_requests_total{") && strings.Contains(line, route+`"`) &&
			strings.Contains(line, `status="20`) {
			var count int
			if _, err := fmt.Sscan(line[strings.LastIndexByte(line, ' ')+1:], &count); err == nil {
				n += count
			}
		}
	}
	return n
}
