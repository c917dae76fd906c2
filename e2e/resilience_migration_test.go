package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/pressly/goose/v3"

	"waxwing/internal/testenv"
	"waxwing/internal/testenv/postgres"
)

// pastData fills a catalog of any schema, on both engines.
var pastData = []string{
	`INSERT INTO users (id, username, name, cover, created_at) VALUES ('us_0000000000000001', 'ada', 'Ada Past', 'c', 1)`,
	`INSERT INTO settings (name, value) VALUES ('mark', 'of the past')`,
	`INSERT INTO songs (id, facts, title, disc, track, duration, cover, format, available, play_count,
		created_at, updated_at)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
		SELECT 'so_' || (1000000000000000 + i), '{"title":"Song ' || i || '","artists":[]}', 'Song ' || i, 1,
			i, 1000, 'c', 'flac',
			1, i, 1, 1 FROM n`,
	`INSERT INTO plays (song, listener, played_at, counted, idempotency, received_at) SELECT num, 1, 5, 1, id, 6 ` +
		`FROM songs`,
	`INSERT INTO playlists (id, name, sort_key, owner, public, song_count, duration, cover, version,
		created_at, updated_at)
		SELECT 'pl_0000000000000001', 'Past', 'past', num, 1, 400, 400000, 'c', 1, 1, 1 FROM users`,
	`INSERT INTO playlist_entries (playlist, rank, song, added_at) SELECT playlists.num, songs.num, songs.num, 1 ` +
		`FROM playlists CROSS JOIN songs`,
	`UPDATE counters SET value = 400 WHERE name = 'songs'`,
}

// schemas returns the number of migrations of an engine.
func schemas(t *testing.T, engine string) int {
	t.Helper()
	steps, err := filepath.Glob(filepath.Join("..", "internal", "catalog", "migrations", engine, "*.sql"))
	if err != nil || len(steps) < 4 {
		t.Fatalf("migrations of %s: got %v, %v; want at least 4", engine, steps, err)
	}
	return len(steps)
}

// past migrates an empty database to an older schema and fills it.
func past(t *testing.T, engine string, db *sql.DB, schema int) {
	t.Helper()
	dialect := map[string]goose.Dialect{"sqlite": goose.DialectSQLite3, "postgres": goose.DialectPostgres}[engine]
	p, err := goose.NewProvider(dialect, db, os.DirFS(filepath.Join("..", "internal", "catalog", "migrations", engine)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), int64(schema)); err != nil {
		t.Fatal(err)
	}
	for _, statement := range pastData {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// openDB opens a database until the end of the test.
func openDB(t *testing.T, driver, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // some are closed before
	return db
}

// firstColumns are the tables with data of users and their columns in the first schema. Later ones
// add columns, whose values an upgrade may fill.
var firstColumns = map[string]string{
	"users":    "num, id, username, name, bio, cover, created_at",
	"settings": "name, value",
	"songs": "num, id, facts, title, album, disc, track, duration, cover, format, bitrate, available, play_count, " +
		"heat, track_gain, track_peak, album_gain, album_peak, created_at, updated_at",
	"plays": "num, song, listener, played_at, counted, idempotency, received_at",
	"playlists": "num, id, name, sort_key, description, owner, public, song_count, duration, cover, source, version, " +
		"created_at, updated_at",
	"playlist_entries": "playlist, rank, song, added_at",
	"counters":         "name, value",
}

// contents returns every row of the tables common to all schemas, and the schema's version.
func contents(t *testing.T, db *sql.DB) (rows map[string]bool, schema int) {
	t.Helper()
	rows = map[string]bool{}
	for table, names := range firstColumns {
		query := `SELECT ` + names + ` FROM ` + table
		switch table {
		case "counters":
			query += ` WHERE name <> 'revision'` // every command raises it
		case "settings":
			query += ` WHERE name NOT IN ('schema_floor', 'fold')` // migrations raise them
		}
		found, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		columns, err := found.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for found.Next() {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(any)
			}
			if err := found.Scan(values...); err != nil {
				t.Fatal(err)
			}
			row := table
			for i, v := range values {
				row += fmt.Sprintf(" %s=%v", columns[i], *v.(*any))
			}
			rows[row] = true
		}
		if err := found.Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.QueryRowContext(t.Context(), `SELECT max(version_id) FROM goose_db_version`).Scan(&schema); err != nil {
		t.Fatal(err)
	}
	return rows, schema
}

// missing counts the rows of before that are not in after.
func missing(before, after map[string]bool) (n int) {
	for row := range before {
		if !after[row] {
			n++
		}
	}
	return n
}

// upgrades counts what TestKilledMigrations tries.
type upgrades struct {
	t                          *testing.T
	inputs, faults, violations int
}

func (u *upgrades) wrong(format string, args ...any) {
	u.t.Helper()
	u.violations++
	u.t.Errorf(format, args...)
}

// begin starts a command that opens the catalog and so migrates its schema.
func begin(t *testing.T, data string, args ...string) (cmd *exec.Cmd, output *testenv.Buffer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd = exec.CommandContext(ctx, program, append([]string{"user", "list", "--data-dir", data}, args...)...)
	output = &testenv.Buffer{}
	cmd.Env, cmd.Stdout, cmd.Stderr = environment(filepath.Dir(data)), output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, output
}

// succeeds runs the migration to its end.
func (u *upgrades) succeeds(what, data string, args ...string) {
	u.t.Helper()
	cmd, output := begin(u.t, data, args...)
	u.inputs++
	if err := cmd.Wait(); err != nil || !strings.Contains(output.String(), "ada") {
		u.wrong("%s: got %v %s, want success and the user ada", what, err, output)
	}
}

// rejectsNewer gives the catalog the version of a newer release. The program must not change it.
func (u *upgrades) rejectsNewer(what string, db *sql.DB, data string, args ...string) {
	u.t.Helper()
	for _, statement := range []string{`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, '1')`,
		`UPDATE settings SET value = '9999' WHERE name = 'schema_floor'`} {
		if _, err := db.ExecContext(u.t.Context(), statement); err != nil {
			u.t.Fatal(err)
		}
	}
	before, _ := contents(u.t, db)
	cmd, output := begin(u.t, data, args...)
	u.inputs++
	if err := cmd.Wait(); err == nil || !strings.Contains(output.String(), "written by a newer Waxwing") {
		u.wrong("%s: an older program: got %v %s, want a refusal", what, err, output)
	}
	if after, _ := contents(u.t, db); missing(before, after)+missing(after, before) > 0 {
		u.wrong("%s: an older program changed the catalog, want no change", what)
	}
}

// TestKilledMigrations kills migrations from every past schema half-way, on both engines.
func TestKilledMigrations(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		u := &upgrades{t: t}
		for schema := 1; schema < schemas(t, "sqlite"); schema++ {
			u.sqlite(schema)
		}
		testenv.Report(t, testenv.Migrations, testenv.Tally{Inputs: u.inputs, Faults: u.faults, Violations: u.violations,
			Note: "SQLite: upgrades from every past schema, killed at file changes spread over the whole upgrade; the " +
				"backup was complete before the first step"})
	})
	t.Run("postgres", func(t *testing.T) {
		u := &upgrades{t: t}
		cluster := postgres.ForTest(t)
		cluster.MaxConnections = 40
		for schema := 1; schema < schemas(t, "postgres"); schema++ {
			u.postgres(schema, cluster.Database(t))
		}
		testenv.Report(t, testenv.Migrations, testenv.Tally{Inputs: u.inputs, Faults: u.faults, Violations: u.violations,
			Note: "PostgreSQL: upgrades from every past schema, killed before a step's version was recorded"})
	})
}

// sqlite kills a migration at file changes spread over all of it.
func (u *upgrades) sqlite(schema int) {
	t := u.t
	original := t.TempDir()
	db := openDB(t, "sqlite", "file:"+filepath.Join(original, "catalog.db")+"?_pragma=journal_mode(wal)")
	past(t, "sqlite", db, schema)
	before, _ := contents(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	copied := func() string {
		data := filepath.Join(t.TempDir(), "data")
		if err := os.CopyFS(data, os.DirFS(original)); err != nil {
			t.Fatal(err)
		}
		return data
	}
	changes := u.killAt(copied(), 1<<30)
	kills := testenv.Size(4, 10, changes)
	half := 0
	for i := range kills {
		data := copied()
		u.killAt(data, 1+i*changes/kills)
		u.faults++
		what := fmt.Sprintf("schema %d, killed at change %d of %d", schema, 1+i*changes/kills, changes)
		left := filepath.Join(t.TempDir(), "left") // inspect a copy, so that the next start finds the original
		if err := os.CopyFS(left, os.DirFS(data)); err != nil {
			t.Fatal(err)
		}
		if reached := u.checkFile(what, filepath.Join(left, "catalog.db"), before); reached > schema {
			half++
			u.checkBackups(what, left, before, schema)
		}
		u.succeeds(what, data)
		reached := u.checkFile(what+", run again", filepath.Join(data, "catalog.db"), before)
		if reached != schemas(t, "sqlite") {
			u.wrong("%s, run again: got schema %d, want %d", what, reached, schemas(t, "sqlite"))
		}
		u.checkBackups(what+", run again", data, before, 0)
		if i == 0 {
			u.rejectsNewer(what, openDB(t, "sqlite", filepath.Join(data, "catalog.db")), data)
		}
	}
	t.Logf("from schema %d: %d kills over %d changes of files, %d of them after a step", schema, kills, changes, half)
}

// killAt kills a migration after that many changes of its files and returns how many there were.
func (u *upgrades) killAt(data string, change int) (changes int) {
	t := u.t
	t.Helper()
	w, err := fsnotify.NewBufferedWatcher(1000)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Add(data); err != nil {
		t.Fatal(err)
	}
	cmd, _ := begin(t, data)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // most are killed
	}()
	for {
		select {
		case e := <-w.Events:
			if !strings.HasPrefix(filepath.Base(e.Name), "catalog.db") {
				continue
			}
			if changes++; changes == change {
				_ = cmd.Process.Kill() // it may have ended
				<-ended
				return changes
			}
		case <-ended:
			return changes
		}
	}
}

// checkFile checks that a file is valid and has all its data, and returns its schema version.
func (u *upgrades) checkFile(what, file string, before map[string]bool) (schema int) {
	u.t.Helper()
	db := openDB(u.t, "sqlite", file)
	defer db.Close()
	var verdict string
	if err := db.QueryRowContext(u.t.Context(), `PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		u.wrong("%s: integrity_check of %s: got %q, %v; want ok", what, filepath.Base(file), verdict, err)
		return 0
	}
	after, schema := contents(u.t, db)
	if n := missing(before, after); n > 0 {
		u.wrong("%s: %d of %d rows are missing in %s", what, n, len(before), filepath.Base(file))
	}
	return schema
}

// checkBackups checks that every backup is complete and one has the given schema; 0 means any.
func (u *upgrades) checkBackups(what, data string, before map[string]bool, schema int) {
	u.t.Helper()
	backups, err := filepath.Glob(filepath.Join(data, "catalog.db.before-schema-*"))
	if err != nil {
		u.t.Fatal(err)
	}
	found := false
	for _, file := range backups {
		if !strings.Contains(file, ".partial") {
			of := u.checkFile(what, file, before)
			found = found || schema == 0 || of == schema
		}
	}
	if !found {
		u.wrong("%s: got backups %v, want one of schema %d", what, backups, schema)
	}
}

// postgres blocks a migration after a step's work, before its version is recorded, and kills it
// there.
func (u *upgrades) postgres(schema int, url string) {
	t := u.t
	db := openDB(t, "pgx", url)
	past(t, "postgres", db, schema)
	before, _ := contents(t, db)
	tables := func() (n int) {
		if err := db.QueryRowContext(t.Context(),
			`SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	relations := tables()
	hold, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hold.Rollback() }() // it may have ended
	if _, err := hold.ExecContext(t.Context(), `LOCK TABLE goose_db_version IN SHARE MODE`); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(t.TempDir(), "data")
	cmd, output := begin(t, data, "--db", url)
	until := func(what, query string) {
		t.Helper()
		deadline, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		for reached := false; !reached; {
			if err := db.QueryRowContext(deadline, query).Scan(&reached); err != nil {
				_ = cmd.Process.Kill() // the test has failed
				t.Fatalf("waited for %s: %v\n%s", what, err, output)
			}
		}
	}
	until("the step to wait", `SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'goose_db_version'::regclass AND `+
		`NOT granted)`)
	_ = cmd.Process.Kill() // it cannot have ended
	_ = cmd.Wait()
	u.faults++
	if err := hold.Rollback(); err != nil {
		t.Fatal(err)
	}
	until("its sessions to end", `SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() `+
		`AND pid <> pg_backend_pid() AND state <> 'idle')`)
	what := fmt.Sprintf("schema %d, killed half-way", schema)
	after, reached := contents(t, db)
	if n := missing(before, after) + missing(after, before); n > 0 || reached != schema || tables() != relations {
		u.wrong("%s: %d rows differ, schema %d, %d relations; want 0, %d, %d", what, n, reached, tables(), schema,
			relations)
	}
	u.succeeds(what, data, "--db", url)
	after, reached = contents(t, db)
	if n := missing(before, after); n > 0 || reached != schemas(t, "postgres") {
		u.wrong("%s, run again: %d rows are missing, schema %d; want 0, %d", what, n, reached, schemas(t, "postgres"))
	}
	u.rejectsNewer(what, db, data, "--db", url)
}
