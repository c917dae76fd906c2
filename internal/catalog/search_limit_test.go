package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/testenv"
)

// hostileQueries are as expensive as a query of 200 bytes can be.
func hostileQueries() []string {
	letters := strings.Split("abcdefghijklmnopqrstuvwxyz0123456789", "")
	return []string{
		strings.Join(letters[:16], "-"), strings.Join(letters[:30], "-"), strings.Join(letters[:31], " "),
		strings.Join(letters, "-"), strings.Join(letters, " "), strings.Repeat("a-", 60), strings.Repeat("s/t-", 40),
		strings.Join(letters[:20], ".") + "-00777", "so-al-th-ex-00777-fi-no-0", "so0 al1 th2 ex3 fi4 no5 sogn albmu",
		"example-00777-t no-s", "00777-s t-examples",
		strings.Repeat("無罪モラトリアム", 4), strings.Repeat("無罪モラトリアム", 8), strings.Repeat("é-", 40),
	}
}

// One word such as a-b-c… is one chunk and many terms: the limit counts terms, and few of them are
// searched for in the index.
func TestSearchLimitsTerms(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		list := songs(60)
		list[7].Title = "A-B-C-D-E-F-G-H Boogie"
		ingest(t, s, list...)
		refused := 0
		for _, query := range hostileQueries() {
			found, err := s.Search(t.Context(), catalog.Viewer{}, query, 10)
			switch kind, sentence := fault.Of(err); {
			case kind == fault.Invalid && strings.Contains(sentence, fmt.Sprint("use at most ", catalog.MaxSearchTerms)):
				refused++
			case err != nil:
				t.Errorf("%q: got %v after %d songs, want a result or the limit", query, err, len(found.Songs))
			}
			if terms, _, err := catalog.IndexWork(t.Context(), s, query); err != nil || terms > 32 {
				t.Errorf("%q: got %d terms in the index, %v; want at most 32", query, terms, err)
			}
		}
		if refused < 5 {
			t.Errorf("got %d queries refused, want at least 5", refused)
		}
		for query, want := range map[string]string{
			"a-b-c-d-e-f-g-h": list[7].Title, "h-g-f-e-d-c-b-a boogie": list[7].Title, "abcdefgh": list[7].Title,
			"song 00010": "Song 00010", "song 00010 the examples first album": "Song 00010",
			"the examples first album song 00010 song 00010 the examples": "Song 00010",
			"the-examples-first-album-song-00010":                         "Song 00010",
		} {
			found, err := s.Search(t.Context(), catalog.Viewer{}, query, 10)
			if err != nil || len(found.Songs) == 0 {
				t.Errorf("%q: got no songs, %v; want %s", query, err, want)
				continue
			}
			if facts, err := found.Songs[0].Decode(); err != nil || facts.Title != want {
				t.Errorf("%q: got %s first, %v; want %s", query, facts.Title, err, want)
			}
		}
		testenv.Report(t, testenv.Parameters, testenv.Tally{Inputs: len(hostileQueries()),
			Note: fmt.Sprintf("hostile searches: %d over the limit of %d terms", refused, catalog.MaxSearchTerms)})
	})
}

// The index reads every row of a prefix, so a frequent prefix beside a rare word costs as much as
// alone. It is compared in memory instead, in all rows of the rare word.
func TestHostileSearchesReadFewRowsOfTheIndex(t *testing.T) {
	onBoth(t, func(t *testing.T, s *catalog.Store) {
		list := songs(1100)
		for i := range list {
			list[i].Title = fmt.Sprintf("Seldom Quince Waltz %d", i)
		}
		list[3].Title = "Seldom Quince Zither"
		ids := ingest(t, s, list...)
		uses := map[string]uint32{"seldomer": 15_000, "quincey": 18_000}
		for c := 'a'; c <= 'z'; c++ { // as in a catalog of a million songs
			uses[string(c)+"000"] = 800_000
		}
		if err := catalog.PretendUses(t.Context(), s, uses); err != nil {
			t.Fatal(err)
		}
		const limit = 120_000 // two words with two terms each and their joined forms, 20,000 each
		most := 0
		for _, query := range append(hostileQueries(), "seldom-t", "t-seldom", "t-seldom m-quince", "seldom-t-m-s",
			"t-seldom-quince m-seldom a-b-c", "seldom-quince-t m") {
			_, rows, err := catalog.IndexWork(t.Context(), s, query)
			if err != nil || rows > limit {
				t.Errorf("%q: the index reads %d rows of prefixes, error %v; want at most %d", query, rows, err, limit)
			}
			most = max(most, rows)
		}
		for _, query := range []string{"zither", "seldom-z", "zi-quince", "z-seldom z-quince", "seldom-z-quince",
			"zither-seldom"} {
			found, err := s.Search(t.Context(), catalog.Viewer{}, query, 1)
			if err != nil || len(found.Songs) != 1 || found.Songs[0].ID != ids[3] {
				t.Errorf("%q: got %v, error %v; want song %s alone", query, found.Songs, err, ids[3])
			}
		}
		testenv.Report(t, testenv.Parameters, testenv.Tally{Inputs: len(hostileQueries()) + 6,
			Note: fmt.Sprintf("hostile searches with prefixes of 800,000 rows: at most %d rows read of %d", most, limit)})
	})
}

// No query that is allowed occupies a reader for long, in the long form at a million songs.
func TestHostileSearchesAreFast(t *testing.T) {
	s, most := openSQLite(t), testenv.Size(2_000, 20_000, 1_000_000)
	title := strings.Fields("a be so al the example first no old new song of sea sky blue red i you we they love " +
		"night day")
	for n := 0; n < most; {
		var list []catalog.ScannedSong
		for range catalog.BatchLimit {
			one := song(n)
			one.Title = fmt.Sprintf("%s %s %s %05d", title[n%23], title[n/23%23], title[n/529%23], n%90000)
			one.Album.Title = fmt.Sprintf("Album %d of %s", n/12, title[n/12%23])
			one.Credits[0].Artist.Name = fmt.Sprintf("%c%c %s", 'a'+n/100%26, 'a'+n/2600%26, title[n/100%23])
			list, n = append(list, one), n+1
		}
		if _, err := s.IngestSongs(t.Context(), list); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.FinishScan(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Search(t.Context(), catalog.Viewer{}, "warm", 10); err != nil {
		t.Fatal(err)
	}
	slowest := time.Duration(0)
	for _, query := range hostileQueries() {
		var took []time.Duration
		for range 3 {
			watch := testenv.StartWatch()
			_, _ = s.Search(t.Context(), catalog.Viewer{}, query, 50)
			took = append(took, watch.Elapsed())
		}
		slices.Sort(took)
		t.Logf("%-80.80q %s", query, took[1])
		slowest = max(slowest, took[1])
	}
	if slowest > time.Second {
		t.Errorf("the slowest search took %s, want at most 1 s", slowest)
	}
	testenv.Report(t, testenv.Parameters, testenv.Tally{Inputs: 3 * len(hostileQueries()), Note: fmt.Sprintf(
		"the slowest hostile search took %d ms at %s", slowest.Milliseconds(),
		testenv.TriedOf(most, 1_000_000, "songs"))})
}
