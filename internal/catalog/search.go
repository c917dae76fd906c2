package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
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
	hotRows = 8000
	// mostCandidates bounds what the index may give.
	mostCandidates = 3000
	// hotFor is how long the popular rows may be old before they are read again.
	hotFor = 20 * time.Second
)

// searchKind is one kind of thing that is searched.
type searchKind struct {
	table   string // of its words
	popular string // selects number and text of the most popular rows, $1 of them
	rank    string // orders candidates by popularity: FROM … WHERE num IN (%s) ORDER BY …
}

// The kinds, with their popularity: plays for songs and artists, size and newness for the others.
var (
	songSearch = searchKind{
		table: "song_search",
		popular: `SELECT num, facts FROM (SELECT num, facts, 1 AS played, heat FROM (SELECT num, facts, heat FROM songs WHERE available = 1 AND heat IS NOT NULL ORDER BY heat DESC, num DESC LIMIT $1) AS hot
			UNION ALL SELECT num, facts, 0, 0.0 FROM (SELECT num, facts FROM songs WHERE available = 1 AND heat IS NULL ORDER BY num DESC LIMIT $1) AS fresh) AS both_kinds ORDER BY played DESC, heat DESC, num DESC LIMIT $1`,
		rank: `SELECT num FROM songs WHERE available = 1 AND num IN (%s) ORDER BY CASE WHEN heat IS NULL THEN 1 ELSE 0 END, heat DESC, num DESC`,
	}
	artistSearch = searchKind{
		table:   "artist_search",
		popular: `SELECT num, name FROM artists WHERE song_count > 0 ORDER BY play_count DESC, song_count DESC, num LIMIT $1`,
		rank:    `SELECT num FROM artists WHERE song_count > 0 AND num IN (%s) ORDER BY play_count DESC, song_count DESC, num`,
	}
	albumSearch = searchKind{
		table:   "album_search",
		popular: `SELECT num, title || ' ' || artist FROM albums WHERE song_count > 0 ORDER BY num DESC LIMIT $1`,
		rank:    `SELECT num FROM albums WHERE song_count > 0 AND num IN (%s) ORDER BY num DESC`,
	}
	playlistSearch = searchKind{
		table:   "playlist_search",
		popular: `SELECT num, name FROM playlists WHERE public = 1 ORDER BY num DESC LIMIT $1`,
		rank:    `SELECT num FROM playlists WHERE num IN (%s) ORDER BY num DESC`,
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
	respelled := sync.OnceValues(func() ([]clause, error) {
		if err := s.search.vocabulary.learn(ctx, s.read, s.View().Revision); err != nil {
			return nil, err
		}
		return s.search.vocabulary.respell(clauses), nil
	})
	var nums [4][]int64
	for i := range s.search.kinds {
		var err error
		if nums[i], err = s.find(ctx, &s.search.kinds[i], clauses, respelled, limit); err != nil {
			return found, s.d.explain(err)
		}
	}
	var err error
	if found.Songs, err = byNum(ctx, s, nums[0], limit, scanOneSong, func(r Song) int64 { return r.num },
		`SELECT `+songColumns+` FROM songs s WHERE s.available = 1 AND s.num IN (%s)`); err != nil {
		return found, err
	}
	if found.Artists, err = byNum(ctx, s, nums[1], limit, scanArtist, func(r Artist) int64 { return r.num },
		`SELECT `+artistColumns+` FROM artists a WHERE a.song_count > 0 AND a.num IN (%s)`); err != nil {
		return found, err
	}
	if found.Albums, err = byNum(ctx, s, nums[2], limit, scanAlbum, func(r Album) int64 { return r.num },
		`SELECT `+albumColumns+` FROM albums b WHERE b.song_count > 0 AND b.num IN (%s)`); err != nil {
		return found, err
	}
	found.Playlists, err = byNum(ctx, s, nums[3], limit, scanPlaylist, func(r Playlist) int64 { return r.num },
		`SELECT `+playlistColumns+` FROM playlists p JOIN users u ON u.num = p.owner WHERE (p.public = 1 OR p.owner = `+fmt.Sprint(v.num)+`) AND p.num IN (%s)`)
	return found, err
}

// find returns the numbers of rows that match, the most popular first, a few more than limit in
// case some are gone or not for this viewer.
func (s *Store) find(ctx context.Context, list *hotList, clauses []clause, respelled func() ([]clause, error), limit int64) ([]int64, error) {
	enough := int(limit) + 20
	var found []int64
	asWritten := func() ([]clause, error) { return clauses, nil }
	for _, wanted := range []func() ([]clause, error){asWritten, respelled} {
		if found != nil && int64(len(found)) >= limit {
			break
		}
		asked, err := wanted()
		if err != nil {
			return nil, err
		}
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

// candidates asks the index, newest first, and orders what it gives by popularity.
func (s *Store) candidates(ctx context.Context, kind searchKind, clauses []clause) ([]int64, error) {
	nums, err := collect(ctx, s.read, "search", scanNum, s.d.searchSQL(kind.table), s.d.expression(clauses), mostCandidates)
	if err != nil || len(nums) < 2 {
		return nums, err
	}
	// Numbers are ours: written into the text they need no parameters, of which there may be thousands.
	var b strings.Builder
	for i, num := range nums {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%d", num)
	}
	return collect(ctx, s.read, "rank what was found", scanNum, fmt.Sprintf(kind.rank, b.String()))
}

func scanNum(rows *sql.Rows) (num int64, err error) { return num, rows.Scan(&num) }

// byNum reads rows by their numbers and keeps the order of these.
func byNum[T any](ctx context.Context, s *Store, nums []int64, limit int64, scan func(*sql.Rows) (T, error), num func(T) int64, query string) ([]T, error) {
	list := []T{}
	if len(nums) == 0 {
		return list, nil
	}
	rows, err := collect(ctx, s.read, "read what was found", scan, fmt.Sprintf(query, in(1, len(nums))), anys(nums)...)
	if err != nil {
		return list, s.d.explain(err)
	}
	place := make(map[int64]int, len(nums))
	for i, n := range nums {
		place[n] = i
	}
	slices.SortFunc(rows, func(a, b T) int { return place[num(a)] - place[num(b)] })
	return rows[:min(int64(len(rows)), limit)], nil
}

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
	return collect(ctx, s.read, "read what is popular", func(rows *sql.Rows) (hotRow, error) {
		var row hotRow
		var text string
		if err := rows.Scan(&row.num, &text); err != nil {
			return row, err
		}
		words := wordsOf(text)
		if kind.table == songSearch.table {
			facts, err := Song{Facts: []byte(text)}.Decode()
			if err != nil {
				return row, err
			}
			words = facts.words()
		}
		row.words = " " + strings.Join(words, " ")
		return row, nil
	}, kind.popular, hotRows)
}

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
	if err := s.vocabulary.learn(ctx, store.read, store.View().Revision); err != nil {
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
