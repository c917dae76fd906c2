package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"waxwing/internal/words"
)

// Found is what a search gives, the most popular of each kind first.
type Found struct {
	Songs     []Song
	Artists   []Artist
	Albums    []Album
	Playlists []Playlist
}

const (
	// popularLimit is how many of the most popular rows of a kind are looked through in memory. A word
	// that many rows have is found there at once; what is not in enough of them is rare, and the
	// index gives all of it quickly.
	popularLimit = 6000
	// mostCandidates bounds what the index may give.
	mostCandidates = 1000
	// rareUses is how many rows may have a word that the index is asked for.
	rareUses = 20000
	// fewUses is how many rows are read rather than sorted out by the index.
	fewUses = 300
	// wellSpelled is how much a query must find not to be taken for misspelled.
	wellSpelled = 3
	// popularMaxAge is how long the popular rows may be old before they are read again.
	popularMaxAge = 20 * time.Second
)

// searchKind is one kind of thing that is searched.
type searchKind struct {
	table   string // of its words
	popular string // selects number and text of the most popular rows, $1 of them
	// leaders selects which candidates come before the others, in order, from %[1]s, the songs that
	// were played; their num satisfies %[2]s. The others follow, newest first. Empty: all of them do.
	leaders string
}

// The kinds, with their popularity: plays for songs and artists, newness for the others.
var (
	songSearch = searchKind{
		table: "song_search",
		popular: `SELECT p.num, w.words FROM (
				SELECT num, heat FROM (SELECT num, heat FROM songs WHERE available = 1 AND heat IS NOT NULL ORDER BY heat DESC, num DESC LIMIT $1) AS hot
				UNION ALL SELECT num, NULL FROM (SELECT num FROM songs WHERE available = 1 AND heat IS NULL ORDER BY num DESC LIMIT $1) AS fresh
			) AS p JOIN song_search w ON w.rowid = p.num ORDER BY CASE WHEN p.heat IS NULL THEN 1 ELSE 0 END, p.heat DESC, p.num DESC LIMIT $1`,
		leaders: `SELECT num FROM %[1]s WHERE available = 1 AND heat IS NOT NULL AND %[2]s ORDER BY heat DESC, num DESC`,
	}
	artistSearch = searchKind{
		table: "artist_search",
		popular: `SELECT p.num, w.words FROM (SELECT num, play_count, song_count FROM artists WHERE song_count > 0 ORDER BY play_count DESC, song_count DESC, num LIMIT $1) AS p
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

// searcher is what a search needs in memory.
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

// Search finds songs, artists, albums and playlists by the beginnings of their words, in any order.
// Only where next to nothing has the words as they are written are misspellings considered; what
// has them comes first then.
func (s *Store) Search(ctx context.Context, v Viewer, query string, limit int64) (Found, error) {
	clauses := words.ParseQuery(words.Clean(query, 200))
	if len(clauses) == 0 {
		return Found{Songs: []Song{}, Artists: []Artist{}, Albums: []Album{}, Playlists: []Playlist{}}, nil
	}
	known, err := s.vocabularyFor(ctx, clauses)
	if err != nil {
		return Found{}, s.d.explain(err)
	}
	q := &asked{store: s, words: known, viewer: v, written: clauses, meant: clauses, limit: limit}
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

// asked is one search under way.
type asked struct {
	store   *Store
	words   *vocabulary
	viewer  Viewer
	written []words.Clause // as it was typed
	meant   []words.Clause // the same, or with other spellings
	limit   int64
}

// find looks for all kinds at once.
func (q *asked) find(ctx context.Context) (found Found, err error) {
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
			`SELECT `+playlistColumns+` FROM playlists p JOIN users u ON u.num = p.owner WHERE (p.public = 1 OR p.owner = $2) AND `+among("p.num"), q.viewer.num)
		return err
	})
	err = kinds.Wait()
	return found, err
}

// found tells the number of a row and the words it is found by.
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

// lookUp finds rows of one kind. What is remembered of a row may be older than the row, so each is
// held against the query once more. Where rows are gone or not for this viewer, further ones are read.
func lookUp[T any](ctx context.Context, q *asked, kind int, scan func(*sql.Rows) (T, error), found func(T) (int64, []string), query string, args ...any) ([]T, error) {
	nums, err := q.nums(ctx, &q.store.search.kinds[kind])
	if err != nil {
		return []T{}, err
	}
	written, meant := []T{}, []T{}
	for some := range slices.Chunk(nums, q.enough()) {
		rows, err := collect(ctx, q.store.read, "read what was found", scan, query, append([]any{q.store.d.list(some)}, args...)...)
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

// enough is how many rows are read at once: a few more than are wanted, since some may be gone.
func (q *asked) enough() int { return int(q.limit) + 20 }

// nums returns the numbers of rows that match, the most popular first: enough of them, or all that
// are known. Rare words are looked for in the index alone.
func (q *asked) nums(ctx context.Context, list *popularRows) ([]int64, error) {
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
		return found, nil // no row ever had it
	}
	more, err := q.candidates(ctx, list.kind)
	if err != nil {
		return nil, err
	}
	return union(found, more), nil
}

// union is a followed by what else is in b.
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

// candidates asks the index, newest first, and orders what it gives by popularity. The index is
// asked for the rarest word, and for the next one if that leaves much: to join what it has of a
// frequent word, or of a short beginning, takes it long, while to look for that in a row takes no
// time. Where no word is rare it is asked for whole words; rows that only begin with a frequent
// word were among the popular ones.
func (q *asked) candidates(ctx context.Context, kind searchKind) ([]int64, error) {
	s := q.store
	type counted struct {
		words.Clause
		uses int
	}
	var rare []counted
	for _, c := range q.meant {
		if n := q.words.clauseUses(c); n <= rareUses {
			rare = append(rare, counted{c, n})
		}
	}
	slices.SortStableFunc(rare, func(a, b counted) int { return a.uses - b.uses })
	var wanted []words.Clause
	for i, c := range rare {
		if i == 0 || i == 1 && rare[0].uses > fewUses {
			wanted = append(wanted, c.Clause)
		}
	}
	all := len(wanted) == len(q.meant) // what the index gives has every word
	if len(wanted) == 0 {
		wanted = words.WholeWords(q.meant)
	}
	rows, err := s.newest(ctx, kind.table, s.d.expression(wanted), q.likely(wanted), all)
	if err != nil {
		return nil, err
	}
	var nums []int64
	for _, row := range rows {
		if all || words.Match(q.meant, row.words) {
			nums = append(nums, row.num)
		}
	}
	if len(nums) == 0 || kind.leaders == "" {
		return nums, nil
	}
	leaders, err := collect(ctx, s.read, "rank what was found", scanNum, fmt.Sprintf(kind.leaders, s.d.heated, s.d.among("num")), s.d.list(nums))
	if err != nil {
		return nil, err
	}
	return union(leaders, nums), nil
}

// likely is about how many songs have all of these, if words knew nothing of one another.
func (q *asked) likely(clauses []words.Clause) float64 {
	all := float64(max(1, q.store.View().Songs))
	n := all
	for _, c := range clauses {
		n *= min(1, float64(q.words.clauseUses(c))/all)
	}
	return n
}

func scanNum(rows *sql.Rows) (num int64, err error) { return num, rows.Scan(&num) }

// respell gives the words of a query what else they may mean: those that nothing begins with, or
// all of them where every word is one. It is nil where none means anything else.
func (v *vocabulary) respell(clauses []words.Clause) []words.Clause {
	unknown := func(t words.Term) bool { return v.uses(t.Word, t.Prefix) == 0 }
	if respelled := v.respellIf(clauses, unknown); respelled != nil {
		return respelled
	}
	return v.respellIf(clauses, func(words.Term) bool { return true })
}

func (v *vocabulary) respellIf(clauses []words.Clause, doubtful func(words.Term) bool) []words.Clause {
	changed := false
	respelled := make([]words.Clause, len(clauses))
	for i, c := range clauses {
		for _, all := range c {
			terms := slices.Clone(all)
			for j, t := range terms {
				if doubtful(t) {
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

// words are what a song is found by.
func (f SongFacts) words() []string {
	texts := []string{f.Title}
	for _, text := range []*string{f.Artist, f.Album} {
		if text != nil {
			texts = append(texts, *text)
		}
	}
	return words.Tokens(texts...)
}
