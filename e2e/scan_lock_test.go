package e2e

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"waxwing/internal/testenv"
	"waxwing/internal/testenv/postgres"
)

// TestScanWaitsForTheLock runs `waxwing scan` while another process scans into the same catalog.
func TestScanWaitsForTheLock(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		home := t.TempDir()
		data := filepath.Join(home, "data")
		if err := os.MkdirAll(data, 0o700); err != nil {
			t.Fatal(err)
		}
		other := flock.New(filepath.Join(data, "scan.lock"))
		if held, err := other.TryLock(); err != nil || !held {
			t.Fatalf("scan lock of the test: got %v, error %v; want true", held, err)
		}
		scanAfterUnlock(t, home, nil, func() error { return other.Unlock() })
	})
	t.Run("postgres", func(t *testing.T) {
		cluster := postgres.ForTest(t)
		url := cluster.Database(t)
		db, err := sql.Open("pgx", url)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		other, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.ExecContext(t.Context(), `SELECT pg_advisory_lock(2002876535, 2)`); err != nil {
			t.Fatal(err)
		}
		scanAfterUnlock(t, t.TempDir(), []string{"--db", url}, func() error {
			_, err := other.ExecContext(t.Context(), `SELECT pg_advisory_unlock_all()`)
			return err
		})
	})
}

// scanAfterUnlock starts a scan that must wait for the lock, calls unlock, and expects the scan to
// succeed.
func scanAfterUnlock(t *testing.T, home string, args []string, unlock func() error) {
	t.Helper()
	music := t.TempDir()
	stderr := &testenv.Buffer{}
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program,
		append([]string{"scan", "--data-dir", filepath.Join(home, "data"), "--music", music}, args...)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = environment(home), &out, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const message = "another scan is running"
	deadline := time.Now().Add(15 * time.Second)
	for ; !strings.Contains(stderr.String(), message); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("output of the waiting scan: got %q, want %q", stderr, message)
			break
		}
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "0 files") {
		t.Errorf("scan after the unlock: got error %v, output %s%s; want 0 files", err, &out, stderr)
	}
}
