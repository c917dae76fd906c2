package e2e

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"waxwing/internal/demo"
	"waxwing/internal/testenv"
)

// unprivileged returns an account that file modes apply to, and its home folder.
func unprivileged(t *testing.T) (as *syscall.Credential, home string) {
	t.Helper()
	home = t.TempDir()
	if os.Geteuid() != 0 {
		return nil, home
	}
	const nobody = 65534
	for dir, mode := range map[string]os.FileMode{filepath.Dir(home): 0o755, filepath.Dir(program): 0o755} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(home, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: nobody, Gid: nobody}, home
}

// cover requests the n-th song's cover in a size.
func (s *server) cover(n int, size string) (status, bytes int) {
	s.t.Helper()
	url := object(s.get("/api/songs?limit=20")["songs"].([]any)[n])["cover_url"].(string)
	url, _, _ = strings.Cut(url, "?")
	resp, err := http.Get(url + "?size=" + size)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, len(b)
}

// chmodFolders changes the mode of all folders below dir, parents after their children.
func chmodFolders(t *testing.T, dir string, mode os.FileMode) {
	t.Helper()
	var all []string
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			all = append(all, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if err := os.Chmod(all[len(all)-1-i], mode); err != nil {
			t.Fatal(err)
		}
	}
}

// TestForbiddenFolders removes the permissions of the data and music folders during playback, and
// restores them.
func TestForbiddenFolders(t *testing.T) {
	t.Parallel()
	as, home := unprivileged(t)
	music := t.TempDir()
	if err := os.CopyFS(music, demo.FS()); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, dir: filepath.Join(home, "data"), env: environment(home),
		process: process{as: as, args: []string{"--output", "null", "--no-mpris", "--music", music}}}
	s.start()
	t.Cleanup(func() {
		s.stop()
		if t.Failed() {
			t.Logf("log of the server:\n%s", s.log)
		}
	})
	faults, inputs, violations := 0, 0, 0
	wrong := func(format string, args ...any) {
		t.Helper()
		violations++
		t.Errorf(format, args...)
	}
	songs := func() int { return int(s.get("/api/songs?limit=1")["total"].(float64)) }
	s.eventually(20*time.Second, "the scan", func() bool { return songs() >= 14 })
	before := songs()
	s.post("/play", "")
	logged := len(s.log.String())

	chmodFolders(t, s.dir, 0o500)
	token := `{"name":"t","permissions":["read"]}`
	if r := s.request("POST", "/tokens", token); r.status != http.StatusServiceUnavailable ||
		r.header.Get("Retry-After") == "" || !strings.Contains(string(r.body), "error") {
		wrong("POST /tokens: got %d %v %s, want 503, Retry-After and an error", r.status, r.header, r.body)
	}
	faults++
	// open files can still be written
	for n, path := range []string{"/volume", "/api/playlists", "/queue/clear"} {
		body := []string{`{"volume":31}`, `{"name":"during"}`, ``}[n]
		inputs++
		if r := s.request("POST", path, body); r.status != http.StatusOK && r.status != http.StatusServiceUnavailable {
			wrong("POST %s: got %d %s, want 200 or 503", path, r.status, r.body)
		}
	}
	for n, size := range []string{"96", "300", "600", "1200"} {
		inputs++
		if status, bytes := s.cover(n, size); status != http.StatusOK || bytes < 500 {
			wrong("a cover of size %s: got %d, %d bytes; want 200 and 500 bytes or more", size, status, bytes)
		}
	}
	s.post("/play", "")
	for range 2 {
		s.post("/next", "")
		s.eventually(10*time.Second, "the next track to play", func() bool {
			return object(s.get("/current-track"), "track")["position"].(float64) > 500
		})
	}

	// Songs of a music folder without permission are not missing.
	album := filepath.Join(music, "Lumen Atlas")
	if err := os.CopyFS(filepath.Join(music, "added"), os.DirFS(album)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(album, 0); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(album, 0o755) }() // for the removal of the folder
	s.eventually(20*time.Second, "a scan", func() bool {
		output := s.log.String()[logged:]
		return strings.Contains(output, "cannot list a folder") && strings.Contains(output, "music folders scanned")
	})
	faults++
	s.eventually(20*time.Second, "the new files to be found", func() bool { return songs() > before })
	if lines := warnings(s.log.String()[logged:]); lines == 0 || lines > 12 {
		wrong("got %d warnings in the log, want 1 to 12", lines)
	}

	chmodFolders(t, s.dir, 0o700)
	if err := os.Chmod(album, 0o755); err != nil {
		t.Fatal(err)
	}
	for n, path := range []string{"/tokens", "/volume", "/api/playlists"} {
		body := []string{token, `{"volume":77}`, `{"name":"after"}`}[n]
		inputs++
		if r := s.request("POST", path, body); r.status != http.StatusOK {
			wrong("POST %s with permissions restored: got %d %s, want 200", path, r.status, r.body)
		}
	}
	if r := s.get("/playback-state"); r["is_playing"] != true {
		wrong("got state %v, want is_playing true", r)
	}
	s.kill()
	s.start()
	if v := s.get("/volume"); v["volume"] != 77.0 || songs() <= before {
		wrong("after a restart: got volume %v and %d songs, want 77 and more than %d", v, songs(), before)
	}
	testenv.Report(t, testenv.FailingDisks, testenv.Tally{Inputs: inputs, Faults: faults, Violations: violations,
		Note: "permissions of the data and music folders removed during playback"})
}

// warnings counts the warnings and errors in a log.
func warnings(log string) (n int) {
	for line := range strings.Lines(log) {
		if strings.Contains(line, " WRN ") || strings.Contains(line, " ERR ") {
			n++
		}
	}
	return n
}

// TestReadOnlyDisk makes the disk of the covers read-only, and then that of all data.
func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	disk := testenv.SmallDisk(t, "24m")
	faults, violations := 0, 0
	wrong := func(format string, args ...any) {
		t.Helper()
		violations++
		t.Errorf(format, args...)
	}
	music, home := t.TempDir(), t.TempDir()
	if err := os.CopyFS(music, demo.FS()); err != nil {
		t.Fatal(err)
	}
	data, covers := filepath.Join(home, "data"), filepath.Join(disk.Dir, "covers")
	for _, dir := range []string{data, covers} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(covers, filepath.Join(data, "covers")); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, dir: data, env: environment(home),
		process: process{args: []string{"--output", "null", "--no-mpris", "--music", music}}}
	s.start()
	t.Cleanup(s.stop)
	s.eventually(20*time.Second, "the scan", func() bool { return s.get("/api/songs?limit=1")["total"].(float64) >= 14 })
	stored := func() (n int) {
		if err := filepath.WalkDir(covers, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				n++
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	disk.ReadOnly(true)
	before := stored()
	for n := range 10 {
		faults++
		if status, bytes := s.cover(n, "1200"); status != http.StatusOK || bytes < 500 {
			wrong("a cover: got %d, %d bytes; want 200 and 500 bytes or more", status, bytes)
		}
	}
	if stored() != before {
		wrong("got %d files on the read-only disk, want %d", stored(), before)
	}
	disk.ReadOnly(false)
	if status, _ := s.cover(11, "600"); status != http.StatusOK || stored() <= before {
		wrong("with a writable disk again: got %d and %d covers stored, want 200 and more than %d",
			status, stored(), before)
	}
	s.stop()

	// A server that cannot write anything exits with an error.
	moved := filepath.Join(disk.Dir, "data")
	if err := os.Remove(filepath.Join(data, "covers")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(moved, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	disk.ReadOnly(true)
	for _, args := range [][]string{{"up", "--player-addr", "127.0.0.1:0", "--catalog-addr", "127.0.0.1:0"},
		{"catalog", "--catalog-addr", "127.0.0.1:0"}, {"key", "create", "--name", "x"}, {"scan", "--music", music}} {
		faults++
		_, output, code := command(t, environment(home), append(args, "--data-dir", moved)...)
		if code == 0 || strings.Count(output, "\n") > 2 || !strings.Contains(output, "check its disk and") {
			wrong("%s on a read-only disk: got exit code %d, %q; want an error that says what to check", args[0], code, output)
		}
	}
	disk.ReadOnly(false)
	s.dir = moved
	s.start()
	if total := s.get("/api/songs?limit=1")["total"]; fmt.Sprint(total) != "14" {
		wrong("got %v songs, want 14", total)
	}
	testenv.Report(t, testenv.FailingDisks, testenv.Tally{Faults: faults, Violations: violations,
		Note: "read-only disk below the covers of a running server, and below all data of one that starts"})
}
