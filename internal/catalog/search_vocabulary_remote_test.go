package catalog_test

import (
	"database/sql"
	"net/url"
	"slices"
	"testing"

	"waxwing/internal/catalog"
)

// TestSearchWithRemoteVocabulary searches with a vocabulary that is too large for memory.
func TestSearchWithRemoteVocabulary(t *testing.T) {
	for name, extension := range map[string]bool{"with pg_trgm": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			db := cluster.Database(t)
			if !extension { // remove it before the catalog is opened again
				if err := open(t, catalog.Config{DB: db}).Close(); err != nil {
					t.Fatal(err)
				}
				execute(t, db, `DROP EXTENSION pg_trgm CASCADE`)
			}
			s := open(t, catalog.Config{DB: db})
			titles := searchable(t, s)
			catalog.LeaveWordsInDatabase(s)
			for query, want := range map[string]string{
				"back in black": "Back in Black", "acdc": "T.N.T.", "y": "Yesterday", "bjork": "Jóga", "歩こう": "上を向いて歩こう",
				"группа КРОВИ": "Группа крови",
				"yestrday":     "Yesterday", "yesterdya": "Yesterday", "nirvna": "Smells Like Teen Spirit",
				"bohemain rhapsdoy": "Bohemian Rhapsody", "beatels jude": "Hey Jude",
			} {
				if got := titlesFound(t, s, titles, query); !slices.Contains(got, want) {
					t.Errorf("search %q: got %q, want %q", query, got, want)
				}
			}
			if got := titlesFound(t, s, titles, "xyzzyxyzzy"); len(got) > 0 {
				t.Errorf("search of an unknown word: got %q, want nothing", got)
			}
			// Only trigrams find a word whose first letters are wrong.
			if got := titlesFound(t, s, titles, "ebohemian"); slices.Contains(got, "Bohemian Rhapsody") != extension {
				t.Errorf("search with a wrong first letter: got %q, want Bohemian Rhapsody %v", got, extension)
			}
		})
	}
}

func titlesFound(t *testing.T, s *catalog.Store, titles map[string]string, query string) (got []string) {
	t.Helper()
	found, err := s.Search(t.Context(), catalog.Viewer{}, query, 10)
	if err != nil {
		t.Fatalf("%q: %v", query, err)
	}
	for _, song := range found.Songs {
		got = append(got, titles[song.ID])
	}
	return got
}

// TestSearchWithoutTrigramExtension uses a database account that may create tables but no
// extensions.
func TestSearchWithoutTrigramExtension(t *testing.T) {
	db := cluster.Database(t)
	execute(t, db, `CREATE ROLE plain LOGIN`, `GRANT CREATE ON SCHEMA public TO plain`)
	u, err := url.Parse(db)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User("plain")
	s := open(t, catalog.Config{DB: u.String()})
	titles := searchable(t, s)
	if got := titlesFound(t, s, titles, "yestrday"); !slices.Contains(got, "Yesterday") {
		t.Errorf("search yestrday: got %q, want Yesterday", got)
	}
	var installed bool
	err = catalog.Reader(s).QueryRowContext(t.Context(), `SELECT to_regproc('similarity') IS NOT NULL`).Scan(&installed)
	if err != nil || installed {
		t.Errorf("extension installed: got %v, error %v; want false", installed, err)
	}
}

// execute runs statements as a superuser.
func execute(t *testing.T, db string, statements ...string) {
	t.Helper()
	admin, err := sql.Open("pgx", db)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	for _, statement := range statements {
		if _, err := admin.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}
