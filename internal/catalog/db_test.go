package catalog_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// TestPragmasOfBothPools reads every setting back from both pools.
func TestPragmasOfBothPools(t *testing.T) {
	s := openSQLite(t)
	common := map[string]string{
		"journal_mode": "wal", "synchronous": "2", "mmap_size": "8388608", "foreign_keys": "1", "temp_store": "2",
		"busy_timeout": "10000", "journal_size_limit": "67108864", "wal_autocheckpoint": "4000",
	}
	for name, pool := range map[string]*sql.DB{"writer": catalog.Writer(s), "reader": catalog.Reader(s)} {
		want := map[string]string{"cache_size": "-16384", "query_only": "0"}
		if name == "reader" {
			want = map[string]string{"cache_size": "-2048", "query_only": "1"}
		}
		for pragma, value := range common {
			want[pragma] = value
		}
		for pragma, value := range want {
			var got string
			if err := pool.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != value {
				t.Errorf("%s of the %s: got %q, error %v; want %q", pragma, name, got, err, value)
			}
		}
	}
	if n := catalog.Writer(s).Stats().MaxOpenConnections; n != 1 {
		t.Errorf("writing connections: got %d, want 1", n)
	}
	// A scan batch relaxes the durability of its own transaction only.
	ingest(t, s, song(1))
	var after string
	if err := catalog.Writer(s).QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&after); err != nil ||
		after != "2" {
		t.Errorf("synchronous after a batch: got %s, error %v; want 2", after, err)
	}
	if err := catalog.Relaxed(t.Context(), s, func(conn *sql.Conn) error {
		return conn.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&after)
	}); err != nil || after != "1" {
		t.Errorf("synchronous during a batch: got %s, error %v; want 1", after, err)
	}
}

func TestNewerCatalogIsRejected(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { checkNewerIsRejected(t, filepath.Join(t.TempDir(), "catalog.db")) })
	t.Run("postgres", func(t *testing.T) { checkNewerIsRejected(t, cluster.Database(t)) })
}

func checkNewerIsRejected(t *testing.T, db string) {
	s, err := catalog.Open(t.Context(), catalog.Config{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := catalog.Writer(s).ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied)
		VALUES (9999, $1)`, true); err != nil {
		t.Fatal(err)
	}
	beside, err := catalog.Open(t.Context(), catalog.Config{DB: db})
	if err != nil {
		t.Fatalf("opening a newer catalog with additions only: got %v, want no error", err)
	}
	if err := beside.Close(); err != nil {
		t.Fatal(err)
	}
	if err := catalog.Check(t.Context(), db); err != nil {
		t.Errorf("check of a newer catalog with additions only: got %v, want no error", err)
	}
	if _, err := catalog.Writer(s).ExecContext(t.Context(), `UPDATE settings SET value = '9999'
		WHERE name = 'schema_floor'`); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := catalog.Check(t.Context(), db); kind(err) != fault.Conflict {
		t.Errorf("check of a newer catalog: got %v, want a Conflict", err)
	}
	_, err = catalog.Open(t.Context(), catalog.Config{DB: db})
	if kind(err) != fault.Conflict || !strings.Contains(err.Error(), "newer Waxwing") {
		t.Errorf("opening a newer catalog: got %v, want a Conflict", err)
	}
}

// TestMigrationBacksUpFirst opens a catalog of the first schema with songs in it.
func TestMigrationBacksUpFirst(t *testing.T) {
	dir := t.TempDir()
	cfg := catalog.Config{DB: filepath.Join(dir, "catalog.db"), BackupDir: filepath.Join(dir, "backups")}
	if err := catalog.MigrateTo(t.Context(), cfg, 1); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", cfg.DB)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `INSERT INTO settings (name, value) VALUES ('mark', 'kept')`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(cfg.BackupDir, 0o700); err != nil {
		t.Fatal(err)
	}
	partial := filepath.Join(cfg.BackupDir, "catalog.db.before-schema-2-20260101T000000.000.partial")
	for _, path := range []string{partial, partial + "-journal"} {
		if err := os.WriteFile(path, []byte("half a copy"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, cfg)
	ingest(t, s, song(1))
	backups, err := filepath.Glob(filepath.Join(cfg.BackupDir, "*"))
	if err != nil || len(backups) != 1 || !strings.Contains(backups[0], "catalog.db.before-schema-2-") {
		t.Fatalf("backups of the upgrade: got %v, error %v; want 1", backups, err)
	}
	copied, err := sql.Open("sqlite", backups[0])
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	var mark string
	if err := copied.QueryRowContext(t.Context(), `SELECT value FROM settings
		WHERE name = 'mark'`).Scan(&mark); err != nil || mark != "kept" {
		t.Errorf("setting in the backup: got %q, error %v; want kept", mark, err)
	}
	to := filepath.Join(dir, "copy.db")
	if err := s.Backup(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), to); kind(err) != fault.Conflict {
		t.Errorf("backup to an existing file: got %v, want a Conflict", err)
	}
	again := open(t, catalog.Config{DB: to})
	if _, total, err := again.Songs(t.Context(), catalog.Page{Number: 1, Limit: 1}); err != nil || total != 1 {
		t.Errorf("songs of the copy: got %d, error %v; want 1", total, err)
	}
	if created, err := filepath.Glob(filepath.Join(filepath.Dir(to), "copy.db.before*")); err != nil || len(created) > 0 {
		t.Errorf("backups of opening a current catalog: got %v, want none", created)
	}
}

func TestMalformedDatabaseNamesAreRejected(t *testing.T) {
	garbage := filepath.Join(t.TempDir(), "garbage.db")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("this is no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, db := range []string{"", "mysql://x", garbage, filepath.Join(t.TempDir(), "no", "folder", "c.db")} {
		if s, err := catalog.Open(t.Context(), catalog.Config{DB: db}); err == nil {
			t.Errorf("Open(%q): got no error, want one", db)
			_ = s.Close()
		}
	}
	_, err := catalog.Open(t.Context(), catalog.Config{DB: "postgres://user:secret@127.0.0.1:1/x?connect_timeout=1"})
	if kind(err) != fault.Unavailable || strings.Contains(err.Error(), "secret") {
		t.Errorf("unreachable server: got %v, want an Unavailable fault without the password", err)
	}
}

// TestOtherProcessesDetectAChange opens one catalog twice, as two processes do.
func TestOtherProcessesDetectAChange(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { checkChangeIsDetected(t, filepath.Join(t.TempDir(), "catalog.db")) })
	t.Run("postgres", func(t *testing.T) { checkChangeIsDetected(t, cluster.Database(t)) })
}

func checkChangeIsDetected(t *testing.T, db string) {
	one, two := open(t, catalog.Config{DB: db}), open(t, catalog.Config{DB: db})
	before := two.View()
	ingest(t, one, songs(3)...)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for two.View().Songs != 3 {
		select {
		case <-ctx.Done():
			t.Fatalf("view of the other process after 5s: got %+v, want 3 songs", two.View())
		case <-time.After(10 * time.Millisecond):
		}
	}
	if two.View().Revision <= before.Revision || two.View().Epoch != one.View().Epoch {
		t.Errorf("view after a change: got %+v, want a higher revision and the same epoch as before, %+v",
			two.View(), before)
	}
}

// TestScanRaisesRevisionOncePerSecond counts revisions over many batches.
func TestScanRaisesRevisionOncePerSecond(t *testing.T) {
	s := openSQLite(t)
	before, start := s.View().Revision, time.Now()
	for i := range 30 {
		if _, err := s.IngestSongs(t.Context(), []catalog.ScannedSong{song(i + 1)}); err != nil {
			t.Fatal(err)
		}
	}
	raised, most := s.View().Revision-before, int64(time.Since(start)/time.Second)+1
	if raised < 1 || raised > most {
		t.Errorf("revisions in %s: got %d, want 1 to %d", time.Since(start), raised, most)
	}
	if err := s.FinishScan(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.View().Songs != 30 {
		t.Errorf("songs: got %d, want 30", s.View().Songs)
	}
	after := s.View().Revision
	if err := s.FinishScan(t.Context()); err != nil || s.View().Revision != after {
		t.Errorf("revision after a second FinishScan: got %d, error %v; want %d", s.View().Revision, err, after)
	}
}
