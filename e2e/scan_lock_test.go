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
	"waxwing/internal/testenv"
	"waxwing/internal/testenv/postgres"

	"github.com/gofrs/flock"
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
			t.Fatalf("%v, %v", held, err)
		}
		scanInTurn(t, home, nil, func() error { return other.Unlock() })
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
		scanInTurn(t, t.TempDir(), []string{"--db", url}, func() error {
			_, err := other.ExecContext(t.Context(), `SELECT pg_advisory_unlock_all()`)
			return err
		})
	})
}

func scanInTurn(t *testing.T, home string, args []string, end func() error) {
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
	for deadline := time.Now().Add(15 * time.Second); !strings.Contains(stderr.String(),
		"another scan is running"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("it says %q", stderr)
			break
		}
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "0 files") {
		t.Errorf("then it ends with %v: %s%s", err, &out, stderr)
	}
}
