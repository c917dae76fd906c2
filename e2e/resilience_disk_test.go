package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/internal/demo"
	"waxwing/internal/testenv"
)

// TestFailingDisk makes the disk of the data folder fail during playback and recover: once it is
// full, once it accepts writes and fails to flush them.
func TestFailingDisk(t *testing.T) {
	t.Parallel()
	t.Run("full", func(t *testing.T) {
		failDisk(t, testenv.SmallDisk(t, "24m"), false,
			"full data folder: tokens, queue, playlists, covers, scan, playback")
	})
	t.Run("failing late", func(t *testing.T) {
		failDisk(t, testenv.ThinDisk(t, "24m"), true,
			"data folder that fails to flush writes: tokens, queue, playlists, covers, scan, playback")
	})
}

// failDisk makes a disk fail twice under a running server. With late, writes succeed and only
// flushing fails.
func failDisk(t *testing.T, disk *testenv.Disk, late bool, note string) {
	music := t.TempDir()
	if err := os.CopyFS(music, demo.FS()); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	s := &server{t: t, dir: filepath.Join(disk.Dir, "data"), env: environment(home),
		process: process{args: []string{"--output", "null", "--no-mpris", "--music", music}}}
	s.start()
	t.Cleanup(func() {
		s.stop()
		if t.Failed() {
			t.Logf("log of the server:\n%s", s.log)
		}
	})
	songs := func() int { return int(s.get("/api/songs?limit=1")["total"].(float64)) }
	s.eventually(20*time.Second, "the scan", func() bool { return songs() >= 14 })
	s.post("/play", "")
	before := songs()
	faults, inputs, violations, failedScans := 0, 0, 0, 0
	wrong := func(format string, args ...any) {
		violations++
		t.Errorf(format, args...)
	}
	for round := range 2 {
		logged := len(s.log.String())
		lost := newLostCredentials(s, round)
		disk.Fill()

		// When the disk is full, changes fail with an explanation, and in no other way.
		for _, c := range []struct{ path, body string }{
			{"/tokens", `{"name":"t","permissions":["read"]}`},
			{"/volume", `{"volume":%d}`},
			{"/api/playlists", `{"name":"` + strings.Repeat("long name ", 19) + `%d"}`},
		} {
			refused := 0
			for i := range 400 {
				body := c.body
				if strings.Contains(body, "%d") {
					body = fmt.Sprintf(body, i%90)
				}
				r := s.request("POST", c.path, body)
				inputs++
				if r.status == http.StatusServiceUnavailable {
					refused++
					faults++
					if r.header.Get("Retry-After") == "" || !strings.Contains(string(r.body), "error") {
						wrong("POST %s: got %v %s, want Retry-After and an error", c.path, r.header, r.body)
					}
				} else if r.status != http.StatusOK {
					wrong("POST %s: got %d %s, want 200 or 503", c.path, r.status, r.body)
				}
				if refused == 10 {
					break
				}
			}
			if refused == 0 && (!late || c.path != "/volume") {
				wrong("POST %s: got no 503, want at least one", c.path)
			}
		}
		// What needs no space continues: covers, commands, playback, also of the next track.
		cover := s.get("/api/songs?limit=10")["songs"].([]any)[round+3].(map[string]any)["cover_url"].(string)
		resp, err := http.Get(cover + "?size=600")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, resp.Body); err != nil || n < 1000 || resp.StatusCode != http.StatusOK {
			wrong("a cover: got %d, %d bytes, %v; want 200 and 1000 bytes or more", resp.StatusCode, n, err)
		}
		resp.Body.Close()
		for range 3 {
			s.post("/next", "")
			s.eventually(10*time.Second, "the next track to play", func() bool {
				return object(s.get("/current-track"), "track")["position"].(float64) > 700
			})
		}
		// A file that appears meanwhile is found when there is space again.
		added := filepath.Join(music, fmt.Sprintf("added %d", round))
		if err := os.CopyFS(added, os.DirFS(filepath.Join(music, "Lumen Atlas"))); err != nil {
			t.Fatal(err)
		}
		// It may still fit into space that the database has allocated.
		s.eventually(15*time.Second, "a scan", func() bool {
			output := s.log.String()[logged:]
			if strings.Contains(output, "scan failed") {
				failedScans++
				return true
			}
			return strings.Contains(output, "music folders scanned")
		})

		if lines := warnings(s.log.String()[logged:]); lines == 0 || lines > 16 {
			wrong("round %d: got %d warnings in the log, want 1 to 16", round, lines)
		}
		inputs += 2
		lost.revoke(s, wrong)

		disk.Free()
		for _, path := range []string{"/tokens", "/volume", "/api/playlists"} {
			body := map[string]string{"/tokens": `{"name":"after","permissions":["read"]}`, "/volume": `{"volume":77}`,
				"/api/playlists": `{"name":"after"}`}[path]
			inputs++
			if r := s.request("POST", path, body); r.status != http.StatusOK {
				wrong("POST %s with free space again: got %d %s, want 200", path, r.status, r.body)
			}
		}
		// A scan that failed may have stored songs already. The next round must not begin before one
		// has succeeded, because only the first failure in a row is logged.
		s.eventually(20*time.Second, "the new files to be found", func() bool {
			return songs() > before && strings.Contains(s.log.String()[logged:], "music folders scanned")
		})
		before = songs()
		if r := s.get("/playback-state"); r["is_playing"] != true {
			wrong("got state %v, want is_playing true", r)
		}
	}
	if failedScans == 0 && !late {
		wrong("no scan failed on the full disk, want at least one")
	}
	s.kill()
	s.start()
	if v := s.get("/volume"); v["volume"] != 77.0 {
		wrong("after a restart: got volume %v, want 77", v)
	}
	s.stop()
	var verdict string
	if err := openDB(t, "sqlite", filepath.Join(s.dir, "catalog.db")).QueryRowContext(t.Context(),
		`PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		wrong("integrity_check: got %q, %v; want ok", verdict, err)
	}
	testenv.Report(t, testenv.FailingDisks, testenv.Tally{Inputs: inputs, Faults: faults + failedScans,
		Violations: violations, Note: note})
}
