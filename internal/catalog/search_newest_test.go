package catalog_test

import (
	"fmt"
	"slices"
	"testing"

	"waxwing/internal/catalog"
)

// TestNewestSongsByBlocks compares a search by blocks with one of all rows, for wrong estimates
// and uneven distributions of the matches.
func TestNewestSongsByBlocks(t *testing.T) {
	db := cluster.Database(t)
	s := open(t, catalog.Config{DB: db})
	words := func(rows, apart int, condition, word string) string {
		return fmt.Sprintf(`INSERT INTO song_search (rowid, words, terms)
			SELECT i, ' %[4]s', array_to_tsvector(ARRAY['%[4]s'])
			FROM (SELECT g * %[2]d AS i FROM generate_series(1, %[1]d) AS g) AS n WHERE %[3]s
			ON CONFLICT DO NOTHING`, rows, apart, condition, word)
	}
	execute(t, db,
		words(6000, 501, "TRUE", "evenly"), // in each of 46 blocks
		words(3000, 7, "TRUE", "early"),    // only in the oldest blocks
		words(3000, 11, "TRUE", "early"),
		words(3000, 1001, "i > 2900000", "late"),     // only in the newest block, and few
		words(3000, 1003, "i % 2 = 0", "everywhere"), // half as many as the number of rows
		`ANALYZE song_search`,
	)
	for _, word := range []string{"evenly", "early", "late", "everywhere", "e", "nowhere"} {
		expression := "'" + word + "':*"
		want, err := catalog.Newest(t.Context(), s, expression, 0) // reads all rows
		if err != nil {
			t.Fatal(err)
		}
		if len(want) == 0 != (word == "nowhere") || !slices.IsSortedFunc(want, func(a, b int64) int { return int(b - a) }) {
			t.Fatalf("rows with %q: got %d, want some in descending order, or none for nowhere", word, len(want))
		}
		for _, likely := range []float64{2000, 6000, 50_000, 3_000_000} {
			if got, err := catalog.Newest(t.Context(), s, expression, likely); err != nil || !slices.Equal(got, want) {
				t.Errorf("%q with an estimate of %.0f rows: got %d rows, error %v; want the same %d as without blocks",
					word, likely, len(got), err, len(want))
			}
		}
	}
}
