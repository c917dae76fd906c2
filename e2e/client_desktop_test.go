package e2e

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite" // reads the databases of the clients
)

// TestClementineClient opens the Subsonic service in Clementine, which then reads the whole
// library, and counts the songs in its database. It speaks version 1.8.0 in XML and stops at
// elements that it does not know.
func TestClementineClient(t *testing.T) {
	needsApps(t, "clementine", "xdotool", "Xvfb", "dbus-run-session")
	s := startForApp(t, "Clementine")
	home := t.TempDir()
	const internet = 4 // the tab
	writeSettings(t, filepath.Join(home, ".config", "Clementine", "Clementine.conf"), fmt.Sprintf(
		"[Subsonic]\nserver=%s\nusername=%s\npassword=%s\nusesslv3=false\nverifycert=false\n"+
			"[MainWindow]\ncurrent_tab=%d\n", s.catalog, s.user, s.secret, internet))
	screen := startDesktop(t, home, "clementine")
	// It reads a service when it is selected in the list: Subsonic is the 18th of 19.
	screen.wantRows(t, s, filepath.Join(home, ".config", "Clementine", "clementine.db"), point{145, 357})
}

// TestStrawberryClient lets Strawberry read the whole library and counts the songs in its database.
func TestStrawberryClient(t *testing.T) {
	needsApps(t, "strawberry", "xdotool", "Xvfb", "dbus-run-session")
	s := startForApp(t, "Strawberry")
	home := t.TempDir()
	writeSettings(t, filepath.Join(home, ".config", "strawberry", "strawberry.conf"), fmt.Sprintf(
		"[Subsonic]\nenabled=true\nurl=%s\nusername=%s\npassword=@ByteArray(%s)\nhttp2=false\n"+
			"downloadalbumcovers=false\nauthmethod=1\n",
		s.catalog, s.user, base64.StdEncoding.EncodeToString([]byte(s.secret))))
	screen := startDesktop(t, home, "strawberry")
	tab, refresh := point{41, 610}, point{165, 66}
	data := filepath.Join(home, ".local", "share", "strawberry", "strawberry")
	screen.wantRows(t, s, filepath.Join(data, "strawberry.db"), tab, refresh)
}

// point is a place on a screen.
type point struct{ x, y int }

// appScreen is a screen with one program, whose window begins at its upper left corner: there is no
// window manager.
type appScreen struct{ display string }

// click moves the pointer to a place and presses its first button.
func (d appScreen) click(t *testing.T, p point) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "xdotool", "mousemove", fmt.Sprint(p.x), fmt.Sprint(p.y), "click", "1")
	cmd.Env = append(os.Environ(), "DISPLAY="+d.display)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Logf("click: %v %s", err, out) // the screen may not be ready yet
	}
}

// startDesktop starts a program on a screen and a bus of its own and ends it with the test.
func startDesktop(t *testing.T, home, program string) appScreen {
	t.Helper()
	display := startScreen(t)
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "dbus-run-session", "--", program)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, ".config"),
		"XDG_DATA_HOME="+filepath.Join(home, ".local", "share"), "XDG_CACHE_HOME="+filepath.Join(home, ".cache"),
		"LANG=C.UTF-8", "QT_QPA_PLATFORM=xcb", "DISPLAY="+display)
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
			t.Logf("log of %s:\n%s", program, text[max(0, len(text)-4000):])
		}
	})
	return appScreen{display}
}

// startScreen starts a screen without a device and returns its name. The server chooses a free one.
func startScreen(t *testing.T) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "Xvfb", "-displayfd", "3", "-screen", "0", "1280x900x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close() // the server has it
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was killed
	})
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("start Xvfb: %v", err)
	}
	return ":" + strings.TrimSpace(number)
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

// wantRows clicks on places until the database of a client has the songs of the demo library, and
// checks that each has an artist, an album and a title.
func (d appScreen) wantRows(t *testing.T, s appServer, path string, places ...point) {
	t.Helper()
	rows, whole := 0, 0
	count := func() bool {
		for _, place := range places {
			d.click(t, place)
		}
		db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
		if err != nil {
			return false
		}
		defer db.Close()
		err = db.QueryRowContext(t.Context(), `SELECT COUNT(*), COALESCE(SUM(title <> '' AND artist <> '' AND album <> ''), 0)
			FROM subsonic_songs`).Scan(&rows, &whole)
		return err == nil && rows >= demoSongs
	}
	s.eventually(90*time.Second, fmt.Sprintf("%d songs", demoSongs), count)
	if rows != demoSongs || whole != demoSongs {
		t.Errorf("got %d songs, %d of them with all names; want %d", rows, whole, demoSongs)
	}
}
