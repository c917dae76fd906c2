package e2e

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"waxwing/internal/demo"
	"waxwing/internal/proof"
)

// smallDisk mounts a file system of its own size for the test. Where that is not permitted the proof is left out,
// or failed under CI=true.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		if os.Getenv("CI") == "true" && os.Getuid() == 0 {
			t.Fatalf("mount a small file system: %v", err)
		}
		t.Skipf("proof left out: needs the right to mount a small file system (%v)", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill writes until the disk is full, to the last byte, and returns the file that does it.
func fill(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, chunk := range []int{1 << 20, 4096, 1} {
		for {
			if _, err := f.Write(make([]byte, chunk)); errors.Is(err, syscall.ENOSPC) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	return path
}

// TestFullDisk fills the disk of the data folder under a playing server, twice, and makes room again.
func TestFullDisk(t *testing.T) {
	disk := smallDisk(t, "24m")
	music := t.TempDir()
	if err := os.CopyFS(music, demo.FS()); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	s := &server{t: t, dir: filepath.Join(disk, "data"), env: environment(home), args: []string{"--output", "null", "--no-mpris", "--music", music}}
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
	faults, inputs, violations := 0, 0, 0
	wrong := func(format string, args ...any) {
		violations++
		t.Errorf(format, args...)
	}
	for round := range 2 {
		logged := len(s.log.String())
		filler := fill(t, disk)

		// Changes are refused with a sentence, once nothing more fits; none is refused in any other way.
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
						wrong("POST %s: %v %s", c.path, r.header, r.body)
					}
				} else if r.status != http.StatusOK {
					wrong("POST %s: %d %s", c.path, r.status, r.body)
				}
				if refused == 10 {
					break
				}
			}
			if refused == 0 {
				wrong("POST %s was never refused", c.path)
			}
		}
		// What needs no room goes on: covers, the transport, the music, the next track too.
		cover := s.get("/api/songs?limit=10")["songs"].([]any)[round+3].(map[string]any)["cover_url"].(string)
		resp, err := http.Get(cover + "?size=600")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, resp.Body); err != nil || n < 1000 || resp.StatusCode != http.StatusOK {
			wrong("a cover: %d, %d bytes, %v", resp.StatusCode, n, err)
		}
		resp.Body.Close()
		for range 3 {
			s.post("/next", "")
			s.eventually(10*time.Second, "the next track to play", func() bool {
				return object(s.get("/current-track"), "track")["position"].(float64) > 700
			})
		}
		// A file that appears meanwhile is found when there is room again.
		fresh := filepath.Join(music, fmt.Sprintf("fresh %d", round))
		if err := os.CopyFS(fresh, os.DirFS(filepath.Join(music, "Lumen Atlas"))); err != nil {
			t.Fatal(err)
		}
		s.eventually(15*time.Second, "a scan to fail", func() bool { return strings.Contains(s.log.String()[logged:], "the scan did not end") })
		faults++

		complaints := 0
		for line := range strings.Lines(s.log.String()[logged:]) {
			if strings.Contains(line, "ERR") || strings.Contains(line, "WRN") || strings.Contains(line, "level=ERROR") || strings.Contains(line, "level=WARN") {
				complaints++
			}
		}
		if complaints == 0 || complaints > 16 {
			wrong("%d lines of complaint", complaints)
		}
		t.Logf("round %d: %d lines of complaint", round, complaints)

		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/tokens", "/volume", "/api/playlists"} {
			body := map[string]string{"/tokens": `{"name":"after","permissions":["read"]}`, "/volume": `{"volume":77}`, "/api/playlists": `{"name":"after"}`}[path]
			inputs++
			if r := s.request("POST", path, body); r.status != http.StatusOK {
				wrong("with room again POST %s: %d %s", path, r.status, r.body)
			}
		}
		s.eventually(20*time.Second, "the new files to be found", func() bool { return songs() > before })
		before = songs()
		if r := s.get("/playback-state"); r["is_playing"] != true {
			wrong("the music has stopped: %v", r)
		}
	}
	s.kill()
	s.start()
	if v := s.get("/volume"); v["volume"] != 77.0 {
		wrong("the volume is %v after a restart", v)
	}
	proof.Report(t, "R3", proof.Tally{Inputs: inputs, Faults: faults, Violations: violations, Note: "a full file system under the whole server: tokens, queue, playlists, covers, scan, music"})
}
