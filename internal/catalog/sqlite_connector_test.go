package catalog

import (
	"database/sql"
	"database/sql/driver"
	"path/filepath"
	"testing"

	"modernc.org/sqlite"
)

// busyDriver fails with err for the first attempts.
type busyDriver struct {
	err      error
	failures int
}

func (d *busyDriver) Open(name string) (driver.Conn, error) {
	if d.failures--; d.failures >= 0 {
		return nil, d.err
	}
	return (&sqlite.Driver{}).Open(name)
}

func TestConnectingToABusyFileIsRepeated(t *testing.T) {
	file := filepath.Join(t.TempDir(), "catalog.db")
	holder, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	if _, err := holder.ExecContext(t.Context(), `CREATE TABLE held (x); BEGIN EXCLUSIVE`); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	_, busy := other.ExecContext(t.Context(), `INSERT INTO held VALUES (1)`)
	if !isBusy(busy) {
		t.Fatalf("write to a locked file: got %v, want a busy error", busy)
	}
	attempts := &busyDriver{err: busy, failures: 2}
	conn, err := patientConnector{driver: attempts, dsn: ":memory:"}.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if attempts.failures != -1 {
		t.Errorf("failures left: got %d, want all used and one success", attempts.failures)
	}
}
