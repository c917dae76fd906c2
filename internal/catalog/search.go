package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Found is what a search gives, the most popular of each kind first.
type Found struct {
	Songs     []Song
	Artists   []Artist
	Albums    []Album
	Playlists []Playlist
}

const (
	// hotRows is how many of the most popular rows of a kind are looked through in memory. A word
	// that many rows have is found there at once; what is not in enough of them is rare, and the
	// index gives all of it quickly.
	hotRows = 6000
	// mostCandidates bounds what the index may give.
	mostCandidates = 2000
	// rareUses is how many rows may have a word that the index is asked for.
	rareUses = 20000
	// hotFor is how long the popular rows may be old before they are read again.
	hotFor = 20 * time.Second
)

// searchKind is one kind of thing that is searched.
type searchKind struct {
	table   string // of its words
	popular string // selects number and text of the most popular rows, $1 of them
	rank    string // orders candidates by popularity: FROM … WHERE num IN (%s) ORDER BY …
}

// The kinds, with their popularity: plays for songs and artists, newness for the others.
var (
	songSearch = searchKind{
		table: "song_search",
		popular: `SELECT p.num, w.words FROM (
				SELECT num, heat FROM (SELECT num, heat FROM songs WHERE available = 1 AND heat IS NOT NULL ORDER BY heat DESC, num DESC LIMIT $1) AS hot
				UNION ALL SELECT num, NULL FROM (SELECT num FROM songs WHERE available = 1 AND heat IS NULL ORDER BY num DESC LIMIT $1) AS fresh
			) AS p JOIN song_search w ON w.rowid = p.num ORDER BY CASE WHEN p.heat IS NULL THEN 1 ELSE 0 END, p.heat DESC, p.num DESC LIMIT $1`,
		rank: `SELECT num FROM songs WHERE available = 1 AND num IN (%s) ORDER BY CASE WHEN heat IS NULL THEN 1 ELSE 0 END, heat DESC, num DESC`,
	}
	artistSearch = searchKind{
		table: "artist_search",
		popular: `SELECT p.num, w.words FROM (SELECT num, play_count, song_count FROM artists WHERE song_count > 0 ORDER BY play_count DESC, song_count DESC, num LIMIT $1) AS p
			JOIN artist_search w ON w.rowid = p.num ORDER BY p.play_count DESC, p.song_count DESC, p.num`,
		rank: `SELECT num FROM artists WHERE song_count > 0 AND num IN (%s) ORDER BY play_count DESC, song_count DESC, num`,
	}
	albumSearch = searchKind{
		table: "album_search",
		popular: `SELECT p.num, w.words FROM (SELECT num FROM albums WHERE song_count > 0 ORDER BY num DESC LIMIT $1) AS p
			JOIN album_search w ON w.rowid = p.num ORDER BY p.num DESC`,
		rank: `SELECT num FROM albums WHERE song_count > 0 AND num IN (%s) ORDER BY num DESC`,
	}
	playlistSearch = searchKind{
		table: "playlist_search",
		popular: `SELECT p.num, w.words FROM (SELECT num FROM playlists WHERE public = 1 ORDER BY num DESC LIMIT $1) AS p
			JOIN playlist_search w ON w.rowid = p.num ORDER BY p.num DESC`,
		rank: `SELECT num FROM playlists WHERE num IN (%s) ORDER BY num DESC`,
	}
)

// searcher is what a search needs in memory.
type searcher struct {
	vocabulary vocabulary
	kinds      [4]hotList // songs, artists, albums, playlists
}

// hotList holds the words of the most popular rows of one kind, most popular first.
type hotList struct {
	kind searchKind

	mu       sync.Mutex
	revision int64
	read     time.Time
	rows     []hotRow
	asked    bool // since rows were read
}

type hotRow struct {
	num   int64
	words string // each with a space before it
}

func newSearcher() *searcher {
	s := &searcher{}
	for i, kind := range []searchKind{songSearch, artistSearch, albumSearch, playlistSearch} {
		s.kinds[i].kind = kind
	}
	return s
}

// Search finds songs, artists, albums and playlists by the beginnings of their words, in any order.
// Only where too little has the words as they are written are misspellings considered.
func (s *Store) Search(ctx context.Context, v Viewer, query string, limit int64) (Found, error) {
	found := Found{Songs: []Song{}, Artists: []Artist{}, Albums: []Album{}, Playlists: []Playlist{}}
	clauses := clausesOf(clean(query, 200))
	if len(clauses) == 0 {
		return found, nil
	}
	if err := s.search.vocabulary.learn(ctx, s.read, s.View()); err != nil {
		return found, s.d.explain(err)
	}
	respelled := sync.OnceValue(func() []clause { return s.search.vocabulary.respell(clauses) })
	q := &asked{store: s, clauses: clauses, respelled: respelled, limit: limit}
	var err error
	if found.Songs, err = lookUp(ctx, q, 0, scanOneSong, Song.found,
		`SELECT `+songColumns+` FROM songs s WHERE s.available = 1 AND s.num IN (%s)`); err != nil {
		return found, err
	}
	if found.Artists, err = lookUp(ctx, q, 1, scanArtist, Artist.found,
		`SELECT `+artistColumns+` FROM artists a WHERE a.song_count > 0 AND a.num IN (%s)`); err != nil {
		return found, err
	}
	if found.Albums, err = lookUp(ctx, q, 2, scanAlbum, Album.found,
		`SELECT `+albumColumns+` FROM albums b WHERE b.song_count > 0 AND b.num IN (%s)`); err != nil {
		return found, err
	}
	found.Playlists, err = lookUp(ctx, q, 3, scanPlaylist, Playlist.found,
		`SELECT `+playlistColumns+` FROM playlists p JOIN users u ON u.num = p.owner WHERE (p.public = 1 OR p.owner = `+strconv.FormatInt(v.num, 10)+`) AND p.num IN (%s)`)
	return found, err
}

// asked is one search under way.
type asked struct {
	store     *Store
	clauses   []clause
	respelled func() []clause
	limit     int64
}

// found tells the number of a row and the words it is found by.
func (s Song) found() (int64, []string) {
	facts, err := s.Decode()
	if err != nil {
		return s.num, nil
	}
	return s.num, facts.words()
}

func (a Artist) found() (int64, []string)   { return a.num, wordsOf(a.Name) }
func (b Album) found() (int64, []string)    { return b.num, wordsOf(b.Title, b.Artist) }
func (p Playlist) found() (int64, []string) { return p.num, wordsOf(p.Name) }

// lookUp finds rows of one kind. What is remembered of a row may be older than the row, so each is
// held against the query once more.
func lookUp[T any](ctx context.Context, q *asked, kind int, scan func(*sql.Rows) (T, error), found func(T) (int64, []string), query string) ([]T, error) {
	s := q.store
	list := []T{}
	nums, err := s.find(ctx, &s.search.kinds[kind], q.clauses, q.respelled, q.limit)
	if err != nil || len(nums) == 0 {
		return list, s.d.explain(err)
	}
	rows, err := collect(ctx, s.read, "read what was found", scan, fmt.Sprintf(query, in(1, len(nums))), anys(nums)...)
	if err != nil {
		return list, s.d.explain(err)
	}
	wanted := make(map[int64]T, len(rows))
	for _, row := range rows {
		if num, words := found(row); q.wants(spaced(words)) {
			wanted[num] = row
		}
	}
	for _, num := range nums {
		if row, ok := wanted[num]; ok && int64(len(list)) < q.limit {
			list = append(list, row)
		}
	}
	return list, nil
}

// wants reports whether words match as they are written or as they may be meant.
func (q *asked) wants(words string) bool {
	if matches(q.clauses, words) {
		return true
	}
	respelled := q.respelled()
	return respelled != nil && matches(respelled, words)
}

// find returns the numbers of rows that match, the most popular first, a few more than limit in
// case some are gone or not for this viewer.
func (s *Store) find(ctx context.Context, list *hotList, clauses []clause, respelled func() []clause, limit int64) ([]int64, error) {
	enough := int(limit) + 20
	var found []int64
	asWritten := func() []clause { return clauses }
	for _, wanted := range []func() []clause{asWritten, respelled} {
		if found != nil && int64(len(found)) >= limit {
			break
		}
		asked := wanted()
		if asked == nil {
			break
		}
		rows, err := list.current(ctx, s)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if len(found) >= enough {
				return found, nil
			}
			if matches(asked, row.words) && !slices.Contains(found, row.num) {
				found = append(found, row.num)
			}
		}
		if int64(len(found)) >= limit {
			break
		}
		more, err := s.candidates(ctx, list.kind, asked)
		if err != nil {
			return nil, err
		}
		for _, num := range more {
			if len(found) < enough && !slices.Contains(found, num) {
				found = append(found, num)
			}
		}
	}
	return found, nil
}

// candidates asks the index, newest first, and orders what it gives by popularity. The index is
// asked for rare words alone: to join what it has of a frequent one, or of a short beginning, takes
// it long, while to look for that in a row takes no time. Where no word is rare it is asked for
// whole words; rows that only begin with a frequent word were among the popular ones.
func (s *Store) candidates(ctx context.Context, kind searchKind, clauses []clause) ([]int64, error) {
	var rare []clause
	for _, c := range clauses {
		if s.search.vocabulary.clauseUses(c) <= rareUses {
			rare = append(rare, c)
		}
	}
	if len(rare) == 0 {
		rare = whole(clauses)
	}
	rows, err := collect(ctx, s.read, "search", scanHot, s.d.searchSQL(kind.table), s.d.expression(rare), mostCandidates)
	if err != nil {
		return nil, err
	}
	// Numbers are ours: written into the text they need no parameters, of which there may be thousands.
	var b []byte
	for _, row := range rows {
		if matches(clauses, row.words) {
			if len(b) > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, row.num, 10)
		}
	}
	if len(b) == 0 {
		return nil, nil
	}
	return collect(ctx, s.read, "rank what was found", scanNum, fmt.Sprintf(kind.rank, b))
}

func scanNum(rows *sql.Rows) (num int64, err error) { return num, rows.Scan(&num) }

// respell gives the words of a query what else they may mean; nil where none means anything else.
func (v *vocabulary) respell(clauses []clause) []clause {
	changed := false
	respelled := make([]clause, len(clauses))
	for i, c := range clauses {
		for _, all := range c {
			terms := slices.Clone(all)
			for j := range terms {
				terms[j].spellings = v.meanings(terms[j].word, terms[j].prefix)
				changed = changed || len(terms[j].spellings) > 0
			}
			respelled[i] = append(respelled[i], terms)
		}
	}
	if !changed {
		return nil
	}
	return respelled
}

// current returns the popular rows, which are read at the first search and then by refresh.
func (l *hotList) current(ctx context.Context, s *Store) ([]hotRow, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = true
	if l.read.IsZero() {
		if err := l.load(ctx, s); err != nil {
			return nil, err
		}
	}
	return l.rows, nil
}

// load reads the popular rows. The mutex is held.
func (l *hotList) load(ctx context.Context, s *Store) error {
	revision := s.View().Revision
	rows, err := readHot(ctx, s, l.kind)
	if err != nil {
		return err
	}
	l.rows, l.revision, l.read, l.asked = rows, revision, time.Now(), false
	return nil
}

func readHot(ctx context.Context, s *Store, kind searchKind) ([]hotRow, error) {
	return collect(ctx, s.read, "read what is popular", scanHot, kind.popular, hotRows)
}

func scanHot(rows *sql.Rows) (row hotRow, err error) { return row, rows.Scan(&row.num, &row.words) }

// words are what a song is found by.
func (f SongFacts) words() []string {
	texts := []string{f.Title}
	for _, text := range []*string{f.Artist, f.Album} {
		if text != nil {
			texts = append(texts, *text)
		}
	}
	return wordsOf(texts...)
}

// refresh reads new words, and popular rows again that were asked for and are old. It runs beside
// searches, which go on with what there was.
func (s *searcher) refresh(ctx context.Context, store *Store) error {
	if err := s.vocabulary.learn(ctx, store.read, store.View()); err != nil {
		return err
	}
	for i := range s.kinds {
		l := &s.kinds[i]
		l.mu.Lock()
		due := l.asked && time.Since(l.read) > hotFor && l.revision != store.View().Revision
		l.mu.Unlock()
		if !due {
			continue
		}
		revision := store.View().Revision
		rows, err := readHot(ctx, store, l.kind)
		if err != nil {
			return err
		}
		l.mu.Lock()
		l.rows, l.revision, l.read, l.asked = rows, revision, time.Now(), false
		l.mu.Unlock()
	}
	return nil
}
