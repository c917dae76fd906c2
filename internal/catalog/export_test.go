package catalog

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"
	"time"

	"waxwing/internal/words"
)

// Writer and Reader return the pools.
func Writer(s *Store) *sql.DB { return s.write }
func Reader(s *Store) *sql.DB { return s.read }

// MakePrivate removes the permissions of other accounts from a catalog.
func MakePrivate(path string) { makePrivate(path) }

// Relaxed runs f on the writing connection with the settings of a scan batch.
func Relaxed(ctx context.Context, s *Store, f func(*sql.Conn) error) error {
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	restore, err := s.d.relax(ctx, conn)
	if err != nil {
		return err
	}
	defer restore()
	return f(conn)
}

// SongIndexes are the names of the indexes that Derive creates.
func SongIndexes() (names []string) {
	for _, index := range songIndexes {
		names = append(names, index.name)
	}
	return names
}

// IsEvaluated reports whether the songs of a smart playlist are in the cache.
func IsEvaluated(s *Store, p Playlist) bool {
	list, err := s.smartList(p)
	if err != nil {
		return false
	}
	s.orders.mu.Lock()
	known := s.orders.lists[list.name()]
	s.orders.mu.Unlock()
	if known == nil {
		return false
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	return known.known && known.version >= list.versions()
}

// SetBookmarks forgets all bookmarks, and sets from which distance pages are read from the end of a
// list and how many rows are between bookmarks.
func SetBookmarks(s *Store, far, spacing int64) {
	s.bookmarks.mu.Lock()
	defer s.bookmarks.mu.Unlock()
	clear(s.bookmarks.lists)
	s.bookmarks.far, s.bookmarks.spacing = far, spacing
}

// WalkAllLists makes a server prepare short lists in advance, too.
func WalkAllLists(s *Store) {
	s.bookmarks.mu.Lock()
	defer s.bookmarks.mu.Unlock()
	s.bookmarks.walked = 0
}

// Bookmarks counts the bookmarks of songs in an order.
func Bookmarks(s *Store, sort string) (n int) {
	order, _ := findSort(songSorts, sort)
	list := sortedList{table: "songs", sort: order}
	marked := s.bookmarks.list(bookmarkKey{name: list.name()})
	marked.mu.Lock()
	defer marked.mu.Unlock()
	for _, mark := range marked.marks {
		if mark != nil && marked.version == s.View().songsChanged {
			n++
		}
	}
	return n
}

// MigrateTo creates a catalog of an older schema.
func MigrateTo(ctx context.Context, cfg Config, version int64) error {
	write, read, err := sqliteDialect.open(cfg.DB)
	if err != nil {
		return err
	}
	defer read.Close()
	defer write.Close()
	p, err := newMigrator(sqliteDialect, write)
	if err != nil {
		return err
	}
	_, err = p.UpTo(ctx, version)
	return err
}

// UsernameFrom derives a username from a name.
var UsernameFrom = usernameFrom

// LeaveWordsInDatabase makes every vocabulary too large for memory.
func LeaveWordsInDatabase(s *Store) {
	v := &s.search.vocabulary
	v.mu.Lock()
	defer v.mu.Unlock()
	v.limit, v.revision = 0, 0
}

// WaterLevel computes the limit by which demands share a rate.
var WaterLevel = waterLevel

// KnownPlaysSQL and NearbyPlaysSQL are the queries of every play.
var (
	KnownPlaysSQL  = knownPlaysSQL
	NearbyPlaysSQL = nearbyPlaysSQL
)

// Newest searches the index for an expression with an estimated number of matches.
func Newest(ctx context.Context, s *Store, expression string, likely float64) (nums []int64, err error) {
	rows, err := s.newest(ctx, songSearch.table, expression, likely, mostCandidates, false)
	for _, row := range rows {
		nums = append(nums, row.num)
	}
	return nums, err
}

// IndexWork returns how many terms of a query are searched for in the index, and how many rows the
// index reads for its prefixes.
func IndexWork(ctx context.Context, s *Store, query string) (terms, rows int, err error) {
	clauses := words.ParseQuery(words.Clean(query, 200))
	known, err := s.vocabularyFor(ctx, clauses)
	if err != nil {
		return 0, 0, err
	}
	q := &searchQuery{store: s, words: known, written: clauses, meant: clauses, limit: 10}
	wanted, _, _ := q.indexed()
	for _, c := range wanted {
		for _, all := range c {
			for _, t := range all {
				if t.Prefix {
					rows += known.termUses(t)
				}
			}
		}
	}
	return words.CountTerms(wanted), rows, nil
}

// PretendUses makes words of the vocabulary as frequent as in a large catalog, for good.
func PretendUses(ctx context.Context, s *Store, uses map[string]uint32) error {
	v := &s.search.vocabulary
	if err := v.load(ctx, s.read, s.View(), false); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	var added []vocabularyWord
	for word, n := range uses {
		added = append(added, vocabularyWord{word, n})
	}
	slices.SortFunc(added, func(a, b vocabularyWord) int { return strings.Compare(a.word, b.word) })
	v.recent, v.revision = merge(v.recent, added), math.MaxInt64
	return nil
}

// ForgetAge makes the cached keys of apps old, as if time had passed.
func ForgetAge(s *Store) {
	s.keys.apps.mu.Lock()
	defer s.keys.apps.mu.Unlock()
	s.keys.apps.read = time.Time{}
}
