package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"waxwing/internal/testenv/postgres"
)

// TestMoveBetweenDatabases moves the demo catalog with the built program, from SQLite to
// PostgreSQL and back. A scan of the moved catalog must find every file known.
func TestMoveBetweenDatabases(t *testing.T) {
	t.Parallel()
	cluster := postgres.ForTest(t)
	database := cluster.Database(t)
	home := t.TempDir()
	data := filepath.Join(home, "data")
	run := func(want int, args ...string) string {
		t.Helper()
		cmd := exec.Command(program, append(args, "--data-dir", data)...)
		cmd.Env = environment(home)
		out, err := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Fatalf("waxwing %s: got exit code %d (%v), want %d\n%s", strings.Join(args, " "), got, err, want, out)
		}
		return string(out)
	}
	music := filepath.Join(home, "music")
	if err := os.Mkdir(music, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one.wav", "two.wav"} {
		if err := os.WriteFile(filepath.Join(music, name), silence(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run(0, "scan", "--music", music)
	key := strings.TrimSpace(run(0, "key", "create", "--name", "phone"))
	if out := run(0, "db", "move", "--to", database); !strings.Contains(out, "and verified") ||
		!strings.Contains(out, "songs") {
		t.Errorf("db move: got\n%s\nwant a verified report with songs", out)
	}
	if out := run(1, "db", "move", "--to", database); !strings.Contains(out, "not empty") {
		t.Errorf("second db move: got %q, want \"not empty\"", out)
	}
	if out := run(0, "scan", "--db", database); !strings.Contains(out, "2 files") ||
		!strings.Contains(out, "0 added, 0 changed, 0 moved") {
		t.Errorf("scan after the move: got %s, want 2 known files", out)
	}
	if out := run(0, "key", "list", "--db", database); !strings.Contains(out, "phone") || strings.Contains(out, key) {
		t.Errorf("keys after the move: got %s, want phone without its secret", out)
	}
	back := filepath.Join(home, "back.db")
	var report struct {
		FromEngine string `json:"from_engine"`
		ToEngine   string `json:"to_engine"`
		Rows       int
	}
	err := json.Unmarshal([]byte(run(0, "db", "move", "--from", database, "--to", back, "--json")), &report)
	if err != nil || report.FromEngine != "PostgreSQL" || report.ToEngine != "SQLite" || report.Rows == 0 {
		t.Errorf("report of moving back: got %+v, error %v; want rows from PostgreSQL to SQLite", report, err)
	}
	if out := run(0, "scan", "--db", back); !strings.Contains(out, "0 added, 0 changed, 0 moved") {
		t.Errorf("scan after moving back: got %s, want no changes", out)
	}
	// The configured database is the one that is moved.
	file := filepath.Join(home, "db.url")
	if err := os.WriteFile(file, []byte(database+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := run(0, "db", "move", "--db-file", file, "--to", filepath.Join(home, "again.db"))
	if !strings.Contains(out, "from PostgreSQL to SQLite") {
		t.Errorf("move of the configured database: got %s, want from PostgreSQL to SQLite", out)
	}
	out = run(0, "db", "move", "--db", back, "--to", filepath.Join(home, "third.db"))
	if !strings.Contains(out, "from SQLite to SQLite") {
		t.Errorf("move of the configured file: got %s, want from SQLite to SQLite", out)
	}
	out = run(1, "db", "move", "--from", filepath.Join(home, "none.db"), "--to", filepath.Join(home, "other.db"))
	if !strings.Contains(out, "no catalog at") {
		t.Errorf("move of a missing source: got %q, want \"no catalog at\"", out)
	}
}

// silence returns a WAV file of a tenth of a second. Its content differs by name.
func silence(name string) []byte {
	samples := make([]byte, 2*4410)
	copy(samples, name)
	head := "RIFF\x98\x22\x00\x00WAVEfmt " +
		"\x10\x00\x00\x00\x01\x00\x01\x00\x44\xac\x00\x00\x88\x58\x01\x00\x02\x00\x10\x00data\x74\x22\x00\x00"
	return append([]byte(head), samples...)
}
