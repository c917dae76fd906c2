//go:build unix

package postgres

import (
	"database/sql"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Replica starts a streaming replica of the server, which stops at the end of the test. It applies
// changes after a delay.
func (c *Cluster) Replica(t testing.TB, delay time.Duration) *Cluster {
	t.Helper()
	dir, err := os.MkdirTemp("", "waxwing-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	r := &Cluster{MaxConnections: c.MaxConnections, bin: c.bin, dir: dir}
	t.Cleanup(func() {
		if err := r.Stop(); err != nil {
			t.Error(err)
		}
	})
	r.settings = []string{
		"recovery_min_apply_delay=" + strconv.FormatInt(delay.Milliseconds(), 10),
		"wal_retrieve_retry_interval=100", // ms; after a restart, it would wait up to 5 s for the primary
	}
	copied, err := r.program("pg_basebackup", "--pgdata="+r.data(), "--write-recovery-conf", "--checkpoint=fast",
		"--no-sync", "--dbname="+c.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := copied.CombinedOutput(); err != nil {
		t.Fatalf("copy the server: %v\n%s", err, out)
	}
	if r.port, err = freePort(); err != nil {
		t.Fatal(err)
	}
	if err := r.launch(); err != nil {
		t.Fatalf("start a replica: %v", err)
	}
	return r
}

// Of returns the URL of the database on this server that has a URL on another one.
func (c *Cluster) Of(url string) string {
	name, _, _ := strings.Cut(url[strings.LastIndex(url, "/")+1:], "?")
	return c.url(name)
}

// Pause stops the replica from applying changes until Resume, while it receives them.
func (c *Cluster) Pause(t testing.TB) { c.query(t, "SELECT pg_wal_replay_pause()") }

// Resume ends Pause.
func (c *Cluster) Resume(t testing.TB) { c.query(t, "SELECT pg_wal_replay_resume()") }

// Promote makes a replica a primary.
func (c *Cluster) Promote(t testing.TB) { c.query(t, "SELECT pg_promote(true, 30)") }

func (c *Cluster) query(t testing.TB, query string) {
	t.Helper()
	db, err := sql.Open("pgx", c.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}
