package catalog_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// TestCheckDistinguishesFailures checks the fault kinds of an unreachable, a rejecting, a foreign
// and a damaged database.
func TestCheckDistinguishesFailures(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	valid := filepath.Join(dir, "valid.db")
	if s, err := catalog.Open(t.Context(), catalog.Config{DB: valid}); err != nil {
		t.Fatal(err)
	} else if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	pages, err := os.ReadFile(valid)
	if err != nil {
		t.Fatal(err)
	}
	for i := 8192; i < len(pages)-8192; i++ {
		pages[i] ^= 0x5a
	}
	empty, migrated := cluster.Database(t), cluster.Database(t)
	if s, err := catalog.Open(t.Context(), catalog.Config{DB: migrated}); err != nil {
		t.Fatal(err)
	} else if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, db string
		want     fault.Kind
	}{
		{"no file", filepath.Join(dir, "none.db"), fault.NotFound},
		{"not SQLite", file("text.db", []byte(strings.Repeat("no database ", 1000))), fault.NotFound},
		{"an empty file", file("empty.db", nil), fault.NotFound},
		{"damaged", file("damaged.db", pages), fault.Invalid},
		{"unreachable", "postgres://wax:s3cret@127.0.0.1:1/x", fault.Unavailable},
		{"no such database", strings.Replace(empty, "/test_", "/absent_", 1), fault.NotFound},
		{"an empty database", empty, fault.NotFound},
		{"no such user", strings.Replace(migrated, "waxwing@", "nobody:s3cret@", 1), fault.Unauthenticated},
		{"a URL that cannot be read", "postgres://wax:s3cr%et@h/x", fault.Invalid},
	} {
		err := catalog.Check(t.Context(), c.db)
		if _, message := fault.Of(err); kind(err) != c.want || strings.Contains(message, "s3cr") {
			t.Errorf("%s: got %v, want a fault of kind %d without the password", c.name, err, c.want)
		}
	}
	for _, db := range []string{valid, migrated, passwordURL(t, migrated, "right")} {
		if err := catalog.Check(t.Context(), db); err != nil {
			t.Errorf("Check(%s): got %v, want no error", db, err)
		}
	}
	if err := catalog.Check(t.Context(), passwordURL(t, migrated, "wrong")); kind(err) != fault.Unauthenticated {
		t.Errorf("wrong password: got %v, want an Unauthenticated fault", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none.db")); err == nil {
		t.Error("missing database after Check: got a file, want none")
	}
}

// passwordURL returns a database URL for a user whose password is "right".
func passwordURL(t *testing.T, url, password string) string {
	t.Helper()
	admin, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	do := func(statement string) {
		if _, err := admin.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	do(`DO $$ BEGIN CREATE ROLE careful LOGIN SUPERUSER PASSWORD 'right';
		EXCEPTION WHEN duplicate_object THEN NULL; END $$`)
	rules := filepath.Join(cluster.Dir(), "data", "pg_hba.conf")
	text, err := os.ReadFile(rules)
	if err != nil {
		t.Fatal(err)
	}
	const rule = "host all careful 127.0.0.1/32 scram-sha-256\n"
	if !strings.HasPrefix(string(text), rule) {
		if err := os.WriteFile(rules, append([]byte(rule), text...), 0o600); err != nil {
			t.Fatal(err)
		}
		do(`SELECT pg_reload_conf()`)
	}
	as := func(password string) string { return strings.Replace(url, "waxwing@", "careful:"+password+"@", 1) }
	until(t, 10*time.Second, "PostgreSQL to reject a wrong password", func() bool {
		return kind(catalog.Check(t.Context(), as("wrong"))) == fault.Unauthenticated
	})
	return as(password)
}
