package e2e

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv/postgres"
)

const listedSQL = `SELECT count(*) FROM songs WHERE available = 1`

// TestRestoreIsRefusedWhileAServerRuns: files in use are not replaced, and a killed server does not
// leave a lock.
func TestRestoreIsRefusedWhileAServerRuns(t *testing.T) {
	t.Parallel()
	c := startCatalog(t)
	env := environment(filepath.Dir(c.data))
	saved := func() int { // folders with the state before a restore
		t.Helper()
		found, err := filepath.Glob(filepath.Join(c.data, "before-restore-*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	file := filepath.Join(t.TempDir(), "b.tar")
	if _, errs, code := command(t, env, "backup", "create", file, "--data-dir", c.data); code != 0 {
		t.Fatalf("backup create: got exit code %d, errors %q; want 0", code, errs)
	}
	_, errs, code := command(t, env, "backup", "restore", file, "--data-dir", c.data)
	if code != 1 || !strings.Contains(errs, "catalog is running") || !strings.Contains(errs, "stop it first") ||
		saved() != 0 {
		t.Errorf("restore with a running catalog: got exit code %d, errors %q, %d saved folders; want 1, a hint, 0",
			code, errs, saved())
	}
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.endsWithin(t, 5*time.Second)
	for n := 1; n <= 3; n++ { // more than one within a second
		_, errs, code := command(t, env, "backup", "restore", file, "--data-dir", c.data)
		if code != 0 || saved() != n {
			t.Errorf("restore %d: got exit code %d, errors %q, %d saved folders; want 0 and %d", n, code, errs, saved(), n)
		}
	}
}

// twoFolders creates two music folders with a song each.
func twoFolders(t *testing.T) (first, second string) {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"first", "second"} {
		if err := os.Mkdir(filepath.Join(home, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, name, name+".wav"), silence(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(home, "first"), filepath.Join(home, "second")
}

// TestScanKeepsSongsOfUnavailableFolders: neither a wrong argument nor an unmounted disk empties a
// catalog.
func TestScanKeepsSongsOfUnavailableFolders(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	data := filepath.Join(home, "data")
	first, second := twoFolders(t)
	var db *sql.DB
	scan := func(wantCode, wantSongs int, wantText string, args ...string) {
		t.Helper()
		out, errs, code := command(t, environment(home), append([]string{"scan", "--data-dir", data}, args...)...)
		if code != wantCode || !strings.Contains(out+errs, wantText) {
			t.Errorf("scan %v: got exit code %d, output %s%s; want %d and %q", args, code, out, errs, wantCode, wantText)
		}
		if db == nil {
			var err error
			if db, err = sql.Open("sqlite", filepath.Join(data, "catalog.db")); err != nil {
				t.Fatal(err)
			}
		}
		if got := count(t, db, listedSQL); got != wantSongs {
			t.Errorf("songs after scan %v: got %d, want %d", args, got, wantSongs)
		}
	}
	defer func() { _ = db.Close() }() // nothing was written
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	scan(0, 2, "2 added", "--music", first, "--music", second)
	scan(2, 2, "no such folder", "--music", first+"typo")
	scan(2, 2, "no such folder", "--music", filepath.Join(first, "first.wav"))
	scan(0, 2, "0 missing, 1 unchanged", "--music", second)
	part := filepath.Join(second, "part")
	ok(os.Mkdir(part, 0o755))
	ok(os.WriteFile(filepath.Join(part, "third.wav"), silence("third"), 0o644))
	scan(0, 3, "is part of the music folder "+second, "--music", part)
	ok(os.RemoveAll(part))
	scan(0, 2, "1 missing, 1 unchanged", "--music", second)
	aside := first + "-aside"
	ok(os.Rename(first, aside))
	scan(1, 2, first+" is unavailable (no such file or directory)")
	ok(os.Mkdir(first, 0o755)) // as a mount point without its disk
	scan(1, 2, "is empty, but the catalog has songs from it", "--music", first, "--music", second)
	scan(2, 2, "--forget", "--forget", first+"typo")
	scan(0, 1, "1 missing", "--forget", first)
	scan(0, 1, "1 files")
	ok(os.Remove(first))
	ok(os.Rename(aside, first))
	scan(0, 2, "1 restored", "--music", first)

	// A server with its own database removes songs of folders that are not configured.
	m := newMember(t, "alone", filepath.Join(data, "catalog.db"))
	m.start("--music", second)
	m.eventually(20*time.Second, "the removal of the songs of the other folder",
		func() bool { return count(t, db, listedSQL) == 1 })
	m.eventually(5*time.Second, "a report of the removed folder in the log",
		func() bool { return strings.Contains(m.log.String(), "a folder is no longer a music folder") })
}

// TestNewScannerKeepsSongsOfOtherFolders: a server that is configured with fewer folders than the
// previous scanner logs a warning and removes no songs.
func TestNewScannerKeepsSongsOfOtherFolders(t *testing.T) {
	t.Parallel()
	cluster := postgres.ForTest(t)
	url := cluster.Database(t)
	db := openAdmin(t, url)
	first, second := twoFolders(t)
	a, b := newMember(t, "a", url), newMember(t, "b", url)
	a.start("--music", first, "--music", second)
	a.ready()
	a.eventually(20*time.Second, "the first scan", func() bool { return count(t, db, listedSQL) == 2 })
	b.start("--music", second)
	b.ready()
	b.eventually(10*time.Second, "a warning at the start",
		func() bool { return strings.Contains(b.log.String(), "not configured on this server") })
	if !strings.Contains(b.log.String(), "folder="+first) || strings.Contains(b.log.String(), "folder="+second) {
		t.Errorf("warning: got other folders, want only %s:\n%s", first, b.log)
	}
	a.kill()
	b.eventually(20*time.Second, "the scan after taking over",
		func() bool { return strings.Contains(b.log.String(), "music folders scanned") })
	const warning = "this server now scans the music folders, but not this one"
	if got := count(t, db, listedSQL); got != 2 || !strings.Contains(b.log.String(), warning) {
		t.Errorf("after taking over: got %d songs, want 2 and the warning %q:\n%s", got, warning, b.log)
	}
	out, errs, code := command(t, environment(b.home), b.args("scan", "--forget", first)...)
	if songs := count(t, db, listedSQL); code != 0 || !strings.Contains(out, "1 missing") || songs != 1 {
		t.Errorf("scan --forget: got exit code %d, %d songs, output %s%s; want 0, 1 song, 1 missing",
			code, songs, out, errs)
	}
	t.Run("doctor", func(t *testing.T) { doctorExplainsDatabaseProblems(t, url) })
}

// doctorExplainsDatabaseProblems: each problem of a database has its own message and advice.
func doctorExplainsDatabaseProblems(t *testing.T, url string) {
	home := t.TempDir()
	data := filepath.Join(home, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(home, "text.db")
	for _, file := range []string{text, filepath.Join(data, "catalog.db")} {
		if err := os.WriteFile(file, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ db, problem, advice string }{
		{"postgres://wax:s3cret@127.0.0.1:1/x", "is unavailable", "start PostgreSQL"},
		{strings.Replace(url, "waxwing@", "stranger:s3cret@", 1), "rejects the user or the password",
			"correct the user and the password"},
		{text, "is not a SQLite database", "correct --db"},
		{"mysql://wax:s3cret@127.0.0.1/x", "must be a file or a PostgreSQL URL", "correct --db"},
		{"", "is not a SQLite database", "waxwing backup restore"},
	} {
		args := []string{"doctor", "--data-dir", data, "--output", "null",
			"--player-addr", "127.0.0.1:0", "--catalog-addr", "127.0.0.1:0"}
		if c.db != "" {
			args = append(args, "--db", c.db)
		}
		out, errs, code := command(t, environment(home), args...)
		if code != 1 || !strings.Contains(out, c.problem) || !strings.Contains(out, c.advice) ||
			strings.Contains(out+errs, "s3cret") {
			t.Errorf("doctor with %s: got exit code %d, want 1, %q and %q without the password\n%s%s",
				c.db, code, c.problem, c.advice, out, errs)
		}
		if strings.HasPrefix(c.db, "postgres") && strings.Contains(out, "backup") {
			t.Errorf("doctor with %s: got advice to restore a backup, want none for PostgreSQL\n%s", c.db, out)
		}
	}
}
