package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite" // reads the databases of the clients
)

// TestClementineClient starts Clementine, which reads the whole library when it starts, and counts
// the songs in its database. It speaks version 1.8.0 in XML and stops at elements that it does not
// know.
func TestClementineClient(t *testing.T) {
	needsApps(t, "clementine", "xvfb-run", "dbus-run-session")
	s := startForApp(t, "Clementine")
	home := t.TempDir()
	writeSettings(t, filepath.Join(home, ".config", "Clementine", "Clementine.conf"), fmt.Sprintf(
		"[Subsonic]\nserver=%s\nusername=%s\npassword=%s\nusesslv3=false\nverifycert=false\n", s.catalog, s.user, s.secret))
	startDesktop(t, home, "clementine")
	wantRows(t, s, filepath.Join(home, ".config", "Clementine", "clementine.db"), "subsonic_songs")
}

// startDesktop starts a program on a screen and a bus of its own and ends it with the test.
func startDesktop(t *testing.T, home string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "dbus-run-session",
		append([]string{"--", "xvfb-run", "-a", "-s", "-screen 0 1280x900x24"}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"),
		"XDG_DATA_HOME="+filepath.Join(home, ".local", "share"), "XDG_CACHE_HOME="+filepath.Join(home, ".cache"),
		"LANG=C.UTF-8", "QT_QPA_PLATFORM=xcb")
	log, err := os.Create(filepath.Join(home, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was killed
		_ = log.Close()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("log of %v:\n%s", args, text[max(0, len(text)-4000):])
		}
	})
}

func writeSettings(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// wantRows waits until a table has the songs of the demo library, and checks that each has an
// artist, an album and a title.
func wantRows(t *testing.T, s appServer, path, table string) {
	t.Helper()
	rows, whole := 0, 0
	count := func() bool {
		db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
		if err != nil {
			return false
		}
		defer db.Close()
		err = db.QueryRowContext(t.Context(), `SELECT COUNT(*), COALESCE(SUM(title <> '' AND artist <> '' AND album <> ''), 0)
			FROM `+table).Scan(&rows, &whole)
		return err == nil && rows >= demoSongs
	}
	s.eventually(90*time.Second, fmt.Sprintf("%d songs in %s", demoSongs, table), count)
	if rows != demoSongs || whole != demoSongs {
		t.Errorf("got %d songs, %d of them with all names; want %d", rows, whole, demoSongs)
	}
}
