package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// incompatible matches statements that break servers of the previous release: they remove or rename
// something, or require a value that those servers do not write.
var incompatible = regexp.MustCompile(
	`(?i)\bDROP\s+(TABLE|COLUMN|VIEW)\b|\bRENAME\b|\bSET\s+NOT\s+NULL\b|\bALTER\s+COLUMN\b.*\bTYPE\b|` +
		`\bADD\s+(COLUMN\s+)?\w+\s+[^,;]*NOT\s+NULL(?:[^,;D]|D[^E])*[,;]|\bADD\s+CONSTRAINT\b`,
)

// TestMigrationsOnlyAddOrRaiseTheFloor checks that every step is additive or raises the floor to
// its own number, so that the servers of a cluster can be upgraded one by one.
func TestMigrationsOnlyAddOrRaiseTheFloor(t *testing.T) {
	names := map[string][]string{}
	for _, engine := range []string{"sqlite", "postgres"} {
		files, err := filepath.Glob(filepath.Join("migrations", engine, "*.sql"))
		if err != nil || len(files) < 3 {
			t.Fatalf("migrations of %s: got %v, error %v; want at least 3", engine, files, err)
		}
		for i, file := range files {
			names[engine] = append(names[engine], filepath.Base(file))
			if !strings.HasPrefix(filepath.Base(file), fmt.Sprintf("%04d_", i+1)) {
				t.Errorf("migration %s: want the number %d", file, i+1)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			up, _, _ := strings.Cut(string(text), "-- +goose Down")
			raised := strings.Contains(up, fmt.Sprintf("UPDATE settings SET value = '%d' WHERE name = 'schema_floor'", i+1))
			if found := incompatible.FindString(withoutComments(up)); i >= 3 && found != "" && !raised {
				t.Errorf("%s contains %q, which breaks older servers: do it in a later release and raise the floor",
					file, found)
			}
		}
	}
	if !slices.Equal(names["sqlite"], names["postgres"]) {
		t.Errorf("migrations of PostgreSQL: got %v, want %v as of SQLite", names["postgres"], names["sqlite"])
	}
	for statement, want := range map[string]bool{
		"ALTER TABLE songs DROP COLUMN heat;": true, "DROP TABLE words;": true, "ALTER TABLE a RENAME TO b;": true,
		"ALTER TABLE songs ADD COLUMN mood TEXT NOT NULL;": true, "ALTER TABLE songs ALTER COLUMN year TYPE TEXT;": true,
		"ALTER TABLE songs ADD COLUMN mood TEXT;":                     false,
		"ALTER TABLE songs ADD COLUMN mood TEXT NOT NULL DEFAULT '';": false,
		"CREATE TABLE moods (name TEXT NOT NULL);":                    false,
		"CREATE INDEX a ON b (c);":                                    false, "DROP INDEX a;": false,
	} {
		if got := incompatible.MatchString(statement); got != want {
			t.Errorf("incompatible(%q): got %v, want %v", statement, got, want)
		}
	}
}

func withoutComments(sql string) string {
	var b strings.Builder
	for line := range strings.Lines(sql) {
		code, _, _ := strings.Cut(line, "--")
		b.WriteString(code + "\n")
	}
	return b.String()
}
