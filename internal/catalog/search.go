package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"waxwing/internal/fault"
	"waxwing/internal/words"
)

// Found is the result of a search, the most popular of each kind first.
type Found struct {
	Songs     []Song
	Artists   []Artist
	Albums    []Album
	Playlists []Playlist
}

const (
	// popularLimit is the number of most popular rows per kind in memory. A frequent word is found
	// among them; a word that is not in enough of them is rare, and fast to find in the index.
	popularLimit = 6000
	// mostCandidates limits the rows that an index search returns.
	mostCandidates = 1000
	// rareUses is the largest number of rows with a word for which the index is searched.
	rareUses = 20000
	// fewUses is the number of rows up to which reading them is faster than another index term.
	fewUses = 300
	// MaxSearchTerms is the largest number of terms of a query.
	MaxSearchTerms = 32
	// mostRespelled is how many terms of a query spellings are searched for: each search reads the
	// whole vocabulary.
	mostRespelled = 8
	// wellSpelled is the number of results from which a query is not considered misspelled.
	wellSpelled = 3
	// popularMaxAge is the age from which the popular rows are read again.
	popularMaxAge = 20 * time.Second
)

// searchKind is a kind of row that Search finds.
type searchKind struct {
	table   string // of its tokens
	popular string // selects number and tokens of the $1 most popular rows
	// leaders selects the candidates that come first, in order. %[1]s is the table of played songs,
	// %[2]s the condition on num. The others follow, newest first. Empty: no leaders.
	leaders string
}

// Songs and artists are ordered by plays, the other kinds by age.
var (
	songSearch = searchKind{
		table: "song_search",
		popular: `SELECT p.num, w.words FROM (
				SELECT num, heat FROM (SELECT num, heat FROM songs WHERE available = 1 AND heat IS NOT NULL
				ORDER BY heat DESC, num DESC LIMIT $1) AS hot
				UNION ALL SELECT num, NULL FROM (SELECT num FROM songs WHERE available = 1 AND heat IS NULL ORDER BY num DESC
				LIMIT $1) AS fresh
			) AS p JOIN song_search w ON w.rowid = p.num
			ORDER BY CASE WHEN p.heat IS NULL THEN 1 ELSE 0 END, p.heat DESC, p.num DESC LIMIT $1`,
		leaders: `SELECT num FROM %[1]s WHERE available = 1 AND heat IS NOT NULL AND %[2]s ORDER BY heat DESC, num DESC`,
	}
	artistSearch = searchKind{
		table: "artist_search",
		popular: `SELECT p.num, w.words FROM (SELECT num, play_count, song_count FROM artists WHERE song_count > 0
			ORDER BY play_count DESC, song_count DESC, num LIMIT $1) AS p
			JOIN artist_search w ON w.rowid = p.num ORDER BY p.play_count DESC, p.song_count DESC, p.num`,
		leaders: `SELECT num FROM artists WHERE song_count > 0 AND %[2]s ORDER BY play_count DESC, song_count DESC, num`,
	}
	albumSearch = searchKind{
		table: "album_search",
		popular: `SELECT p.num, w.words FROM (SELECT num FROM albums WHERE song_count > 0 ORDER BY num DESC LIMIT $1) AS p
			JOIN album_search w ON w.rowid = p.num ORDER BY p.num DESC`,
	}
	playlistSearch = searchKind{
		table: "playlist_search",
		popular: `SELECT p.num, w.words FROM (SELECT num FROM playlists WHERE public = 1 ORDER BY num DESC LIMIT $1) AS p
			JOIN playlist_search w ON w.rowid = p.num ORDER BY p.num DESC`,
	}
)

// searcher holds the caches of Search.
type searcher struct {
	vocabulary vocabulary
	kinds      [4]popularRows // songs, artists, albums, playlists
}

func newSearcher() *searcher {
	s := &searcher{vocabulary: vocabulary{limit: wordsInMemory}}
	for i, kind := range []searchKind{songSearch, artistSearch, albumSearch, playlistSearch} {
		s.kinds[i].kind = kind
	}
	return s
}

// Search finds songs, artists, albums and playlists by prefixes of their words, in any order. If
// there are too few results, it also considers misspellings; exact matches come first. A query with
// more than MaxSearchTerms terms is an Invalid fault.
func (s *Store) Search(ctx context.Context, v Viewer, query string, limit int64) (Found, error) {
	s = s.on(ctx)
	clauses := words.ParseQuery(words.Clean(query, 200))
	if len(clauses) == 0 {
		return Found{Songs: []Song{}, Artists: []Artist{}, Albums: []Album{}, Playlists: []Playlist{}}, nil
	}
	if n := words.CountTerms(clauses); n > MaxSearchTerms {
		return Found{}, fault.New(fault.Invalid, "q has %d search terms; use at most %d", n, MaxSearchTerms)
	}
	known, err := s.vocabularyFor(ctx, clauses)
	if err != nil {
		return Found{}, s.d.explain(err)
	}
	q := &searchQuery{store: s, words: known, viewer: v, written: clauses, meant: clauses, limit: limit}
	found, err := q.find(ctx)
	if err != nil || int64(found.count()) >= min(limit, wellSpelled) {
		return found, s.d.explain(err)
	}
	if q.words, err = s.similarVocabulary(ctx, known, clauses); err != nil {
		return Found{}, s.d.explain(err)
	}
	if q.meant = q.words.respell(clauses); q.meant == nil {
		return found, nil
	}
	found, err = q.find(ctx)
	return found, s.d.explain(err)
}

func (f Found) count() int { return len(f.Songs) + len(f.Artists) + len(f.Albums) + len(f.Playlists) }

// searchQuery is the state of one search.
type searchQuery struct {
	store   *Store
	words   *vocabulary
	viewer  Viewer
	written []words.Clause // as typed
	meant   []words.Clause // written, possibly with other spellings
	limit   int64
}

// find searches all kinds concurrently.
func (q *searchQuery) find(ctx context.Context) (found Found, err error) {
	kinds, ctx := errgroup.WithContext(ctx)
	among := q.store.d.among
	kinds.Go(func() (err error) {
		found.Songs, err = lookUp(ctx, q, 0, scanOneSong, Song.found,
			`SELECT `+songColumns+` FROM songs s WHERE s.available = 1 AND `+among("s.num"))
		return err
	})
	kinds.Go(func() (err error) {
		found.Artists, err = lookUp(ctx, q, 1, scanArtist, Artist.found,
			`SELECT `+artistColumns+` FROM artists a WHERE a.song_count > 0 AND `+among("a.num"))
		return err
	})
	kinds.Go(func() (err error) {
		found.Albums, err = lookUp(ctx, q, 2, scanAlbum, Album.found,
			`SELECT `+albumColumns+` FROM albums b WHERE b.song_count > 0 AND `+among("b.num"))
		return err
	})
	kinds.Go(func() (err error) {
		found.Playlists, err = lookUp(ctx, q, 3, scanPlaylist, Playlist.found,
			`SELECT `+playlistColumns+` FROM playlists p JOIN users u ON u.num = p.owner WHERE (p.public = 1 OR p.owner = $2)
				AND `+among("p.num"), q.viewer.num)
		if err != nil {
			return err
		}
		return q.store.countSmartIn(ctx, found.Playlists)
	})
	err = kinds.Wait()
	return found, err
}

// found returns the number of a row and its tokens.
func (s Song) found() (int64, []string) {
	facts, err := s.Decode()
	if err != nil {
		return s.num, nil
	}
	return s.num, facts.words()
}

func (a Artist) found() (int64, []string)   { return a.num, words.Tokens(a.Name) }
func (b Album) found() (int64, []string)    { return b.num, words.Tokens(b.Title, b.Artist) }
func (p Playlist) found() (int64, []string) { return p.num, words.Tokens(p.Name) }

// lookUp finds rows of one kind. Cached tokens may be outdated, so it compares each row with the
// query again. It reads further rows in place of those that are unavailable or private.
func lookUp[T any](
	ctx context.Context, q *searchQuery, kind int,
	scan func(*sql.Rows) (T, error), found func(T) (int64, []string), query string, args ...any,
) ([]T, error) {
	nums, err := q.nums(ctx, &q.store.search.kinds[kind])
	if err != nil {
		return []T{}, err
	}
	written, meant := []T{}, []T{}
	for some := range slices.Chunk(nums, q.enough()) {
		rows, err := collect(ctx, q.store.read, "read found rows", scan, query,
			append([]any{q.store.d.list(some)}, args...)...)
		if err != nil {
			return written, err
		}
		byNum := make(map[int64]T, len(rows))
		right := make(map[int64]*[]T, len(rows))
		for _, row := range rows {
			num, tokens := found(row)
			byNum[num] = row
			switch text := words.Spaced(tokens); {
			case words.Match(q.written, text):
				right[num] = &written
			case words.Match(q.meant, text):
				right[num] = &meant
			}
		}
		for _, num := range some {
			if list := right[num]; list != nil {
				*list = append(*list, byNum[num])
			}
		}
		if int64(len(written)+len(meant)) >= q.limit {
			break
		}
	}
	list := append(written, meant...)
	return list[:min(int64(len(list)), q.limit)], nil
}

// enough is the number of rows to read at once: a few more than the limit, as some may be dropped.
func (q *searchQuery) enough() int { return int(q.limit) + 20 }

// nums returns the numbers of matching rows, the most popular first: enough of them, or all. It
// searches rare words in the index only.
func (q *searchQuery) nums(ctx context.Context, list *popularRows) ([]int64, error) {
	rarest := math.MaxInt
	for _, c := range q.meant {
		rarest = min(rarest, q.words.clauseUses(c))
	}
	var found []int64
	if rarest > mostCandidates {
		rows, err := list.current(ctx, q.store)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if len(found) == q.enough() {
				break
			}
			if words.Match(q.meant, row.words) {
				found = append(found, row.num)
			}
		}
		if int64(len(found)) >= q.limit {
			return found, nil
		}
	}
	if rarest == 0 {
		return found, nil // the word is in no row
	}
	more, err := q.candidates(ctx, list.kind)
	if err != nil {
		return nil, err
	}
	return union(found, more), nil
}

// union appends to a the elements of b that are not in a.
func union(a, b []int64) []int64 {
	known := make(map[int64]bool, len(a))
	for _, num := range a {
		known[num] = true
	}
	for _, num := range b {
		if !known[num] {
			a = append(a, num)
		}
	}
	return a
}

// candidates searches the index and orders the rows by popularity. It searches for the rarest word,
// and for the next rarest if there are many rows: joining the rows of a frequent word or short
// prefix is slow in the index and fast in memory. If no word is rare it searches for whole words,
// because rows that match frequent prefixes are among the popular ones.
func (q *searchQuery) candidates(ctx context.Context, kind searchKind) ([]int64, error) {
	s := q.store
	wanted, most, all := q.indexed()
	rows, err := s.newest(ctx, kind.table, s.d.expression(wanted), q.likely(wanted), most, all)
	if err != nil {
		return nil, err
	}
	var nums []int64
	for _, row := range rows {
		if len(nums) < mostCandidates && (all || words.Match(q.meant, row.words)) {
			nums = append(nums, row.num)
		}
	}
	if len(nums) == 0 || kind.leaders == "" {
		return nums, nil
	}
	leaders, err := collect(ctx, s.read, "rank found rows", scanNum,
		fmt.Sprintf(kind.leaders, s.d.heated, s.d.among("num")), s.d.list(nums))
	if err != nil {
		return nil, err
	}
	return union(leaders, nums), nil
}

// likely estimates how many songs match all clauses, if words are independent.
func (q *searchQuery) likely(clauses []words.Clause) float64 {
	all := float64(max(1, q.store.View().Songs))
	n := all
	for _, c := range clauses {
		n *= min(1, float64(q.words.clauseUses(c))/all)
	}
	return n
}

func scanNum(rows *sql.Rows) (num int64, err error) { return num, rows.Scan(&num) }

// respell adds suggestions to the terms of a query: to unknown ones, or to all if none is unknown.
// It returns nil if there are no suggestions.
func (v *vocabulary) respell(clauses []words.Clause) []words.Clause {
	unknown := func(t words.Term) bool { return v.uses(t.Word, t.Prefix) == 0 }
	if respelled := v.respellIf(clauses, unknown); respelled != nil {
		return respelled
	}
	return v.respellIf(clauses, func(words.Term) bool { return true })
}

func (v *vocabulary) respellIf(clauses []words.Clause, misspelled func(words.Term) bool) []words.Clause {
	changed, tried := false, 0
	respelled := make([]words.Clause, len(clauses))
	for i, c := range clauses {
		for _, all := range c {
			terms := slices.Clone(all)
			for j, t := range terms {
				if tried < mostRespelled && misspelled(t) {
					tried++
					terms[j].Spellings = v.suggest(t.Word, t.Prefix)
					changed = changed || len(terms[j].Spellings) > 0
				}
			}
			respelled[i] = append(respelled[i], terms)
		}
	}
	if !changed {
		return nil
	}
	return respelled
}

// words returns the tokens of a song.
func (f SongFacts) words() []string {
	texts := []string{f.Title}
	for _, text := range []*string{f.Artist, f.Album} {
		if text != nil {
			texts = append(texts, *text)
		}
	}
	return words.Tokens(texts...)
}
