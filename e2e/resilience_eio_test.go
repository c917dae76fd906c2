package e2e

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// diskFault is a way in which a disk fails: the system calls that fail, and on which files.
type diskFault struct {
	name  string
	calls []string
	files []string
}

// TestAcknowledgedWritesSurviveEIO makes system calls of the server fail with EIO, as a dying disk
// does: reads, writes and syncs of the catalog and of its own files. Everything it acknowledged
// meanwhile exists afterwards.
func TestAcknowledgedWritesSurviveEIO(t *testing.T) {
	t.Parallel()
	s := launch(t, nil, "--output", "null", "--no-mpris", "--rate-limit", "0")
	s.eventually(20*time.Second, "the scan", func() bool { return len(s.songs()) >= 14 })
	s.post("/play", "")
	catalog := []string{"catalog.db", "catalog.db-wal"}
	own := []string{"player.journal", "tokens.json", "."}
	faults, inputs, violations, refused := 0, 0, 0, 0
	wrong := func(format string, args ...any) {
		violations++
		t.Errorf(format, args...)
	}
	var saved []string // playlists and tokens that were acknowledged
	for round, disk := range []diskFault{
		{"reads of the catalog", []string{"pread64"}, catalog},
		{"writes of the catalog", []string{"pwrite64", "ftruncate"}, catalog},
		{"syncs of the catalog", []string{"fsync", "fdatasync"}, catalog},
		{"its own files", []string{"write", "pwrite64", "fsync", "fdatasync"}, own},
		{"all", []string{"pread64", "write", "pwrite64", "ftruncate", "fsync", "fdatasync"}, append(catalog, own...)},
	} {
		var paths []string
		for _, file := range disk.files {
			paths = append(paths, filepath.Join(s.dir, file))
		}
		restore := testenv.FailCalls(t, s.cmd.Process.Pid, "EIO", disk.calls, paths)
		send := func(method, path, body string) reply {
			r := s.request(method, path, body)
			inputs++
			switch {
			case r.status == http.StatusServiceUnavailable:
				refused++
				if r.header.Get("Retry-After") == "" || !strings.Contains(string(r.body), `"error"`) {
					wrong("%s: %s %s: got %v %s, want Retry-After and an error", disk.name, method, path, r.header, r.body)
				}
			case r.status != http.StatusOK:
				wrong("%s: %s %s: got %d %s, want 200 or 503", disk.name, method, path, r.status, r.body)
			}
			return r
		}
		for i := range 10 {
			name := fmt.Sprintf("%d of %s", i, disk.name)
			for path, body := range map[string]string{
				"/api/playlists": `{"name":"` + name + `"}`,
				"/tokens":        `{"name":"` + name + `","permissions":["read"]}`,
			} {
				if send("POST", path, body).status == http.StatusOK {
					saved = append(saved, path+" "+name)
				}
			}
			send("POST", "/volume", fmt.Sprintf(`{"volume":%d}`, 10*round+i))
			send("GET", fmt.Sprintf("/api/songs?limit=%d&page=2", i+1), "")
			send("GET", fmt.Sprintf("/api/search?q=%c", 'a'+i), "")
			send("GET", "/current-track", "")
		}
		before := s.get("/current-track")["track"].(map[string]any)
		s.eventually(10*time.Second, "playback to continue", func() bool {
			now := s.get("/current-track")["track"].(map[string]any)
			return now["id"] != before["id"] || now["position"].(float64) > before["position"].(float64)
		})
		failed := restore()
		if failed == 0 {
			wrong("%s: got no failed system call, want at least one", disk.name)
		}
		faults += failed
		for path, body := range map[string]string{"/api/playlists": `{"name":"recovered %d"}`,
			"/tokens": `{"name":"recovered %d","permissions":["read"]}`, "/volume": `{"volume":%d}`} {
			s.eventually(5*time.Second, path+" to recover from failing "+disk.name, func() bool {
				inputs++
				return s.request("POST", path, fmt.Sprintf(body, round)).status == http.StatusOK
			})
		}
		s.eventually(5*time.Second, "songs to be readable after failing "+disk.name, func() bool {
			return s.request("GET", fmt.Sprintf("/api/songs?limit=%d", 20+round), "").status == http.StatusOK
		})
	}
	if warnings(s.log.String()) == 0 {
		wrong("got no warning in the log, want at least one")
	}
	s.kill()
	s.start()
	stored := map[string]string{"/tokens": string(s.request("GET", "/tokens", "").body)}
	for page := 1; page <= 2; page++ {
		stored["/api/playlists"] += string(s.request("GET", fmt.Sprintf("/api/playlists?limit=200&page=%d", page), "").body)
	}
	for _, what := range saved {
		path, name, _ := strings.Cut(what, " ")
		if !strings.Contains(stored[path], `"`+name+`"`) {
			wrong("%s: acknowledged %q is missing", path, name)
		}
	}
	if v := s.get("/volume")["volume"]; v != 4.0 {
		wrong("after a restart: got volume %v, want 4", v)
	}
	s.stop()
	var verdict string
	if err := openDB(t, "sqlite", filepath.Join(s.dir, "catalog.db")).QueryRowContext(t.Context(),
		`PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		wrong("integrity_check: got %q, %v; want ok", verdict, err)
	}
	testenv.Report(t, testenv.FailingDisks, testenv.Tally{Inputs: inputs, Faults: faults, Violations: violations,
		Note: fmt.Sprintf("system calls of the server failed with EIO: %d requests refused, "+
			"%d changes acknowledged and saved", refused, len(saved))})
}
