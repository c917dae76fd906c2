package catalog

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"waxwing/internal/words"
)

const maxGenres = 20 // of a song

// genreKey is equal for spellings of one genre.
func genreKey(name string) string { return shortKey(words.Key(name)) }

// tidyGenres cleans the names of genres and leaves each out that another spelling of names before.
func tidyGenres(names []string) []string {
	var tidy []string
	known := make(map[string]bool, len(names))
	for _, name := range names {
		name = words.Clean(name, longestGenre)
		if key := genreKey(name); key != "" && !known[key] && len(tidy) < maxGenres {
			known[key] = true
			tidy = append(tidy, name)
		}
	}
	return tidy
}

func (p *ingest) resolveGenres(ctx context.Context) (err error) {
	var names []string
	for i := range p.tags {
		names = append(names, p.tags[i].Genres...)
	}
	p.genres, err = p.t.resolveGenres(ctx, names)
	return err
}

// resolveGenres finds or creates genres and returns their numbers by genreKey.
func (t *tx) resolveGenres(ctx context.Context, names []string) (map[string]int64, error) {
	spelled := make(map[string]string)
	for _, name := range names {
		if key := genreKey(name); spelled[key] == "" || isBetterSpelling(name, spelled[key]) {
			spelled[key] = name
		}
	}
	nums := make(map[string]int64, len(spelled))
	if len(spelled) == 0 {
		return nums, nil
	}
	var renamed [][]any
	for chunk := range slices.Chunk(sortedKeys(spelled), 500) {
		_, err := collect(ctx, t, "look up genres", func(rows *sql.Rows) (none struct{}, err error) {
			var num int64
			var key, name string
			err = rows.Scan(&num, &key, &name)
			nums[key] = num
			if isBetterSpelling(spelled[key], name) {
				renamed = append(renamed, []any{spelled[key], num})
			}
			return none, err
		}, `SELECT num, name_key, name FROM genres WHERE name_key IN (`+in(1, len(chunk))+`)`, anySlice(chunk)...)
		if err != nil {
			return nil, err
		}
	}
	if err := t.each(ctx, "rename genres", `UPDATE genres SET name = $1 WHERE num = $2`, renamed); err != nil {
		return nil, err
	}
	return nums, t.createGenres(ctx, spelled, nums)
}

// createGenres creates the genres that nums does not have.
func (t *tx) createGenres(ctx context.Context, spelled map[string]string, nums map[string]int64) error {
	var last int64
	if len(nums) < len(spelled) {
		if err := t.QueryRowContext(ctx, `SELECT coalesce(max(num), 0) FROM genres`).Scan(&last); err != nil {
			return fmt.Errorf("find the last genre: %w", err)
		}
	}
	var rows [][]any
	for _, key := range sortedKeys(spelled) {
		if nums[key] == 0 {
			last++
			nums[key] = last
			rows = append(rows, []any{last, key, spelled[key], words.SortKey(spelled[key]), 0, 0})
		}
	}
	return t.insertMany(ctx, "insert genres", "genres", "num, name_key, name, sort_key, song_count, album_count", rows, "")
}

// isBetterSpelling reports whether a name has capital letters and the other spelling has none.
func isBetterSpelling(name, other string) bool {
	return other == strings.ToLower(other) && name != strings.ToLower(name)
}

// genresOf returns the numbers of a song's genres.
func (p *ingest) genresOf(tag *ScannedSong) []int64 { return genreNums(tag.Genres, p.genres) }

func genreNums(names []string, nums map[string]int64) []int64 {
	found := make([]int64, len(names))
	for i, name := range names {
		found[i] = nums[genreKey(name)]
	}
	return found
}

func (p *ingest) writeGenres(ctx context.Context) error {
	if err := p.deleteOld(ctx, "song_genres"); err != nil {
		return err
	}
	var rows [][]any
	for i := range p.tags {
		rows = append(rows, genreRows(p.nums[i], p.genresOf(&p.tags[i]), true)...)
	}
	return p.t.putGenres(ctx, rows)
}

// genreRows are the rows of a song in song_genres.
func genreRows(song int64, genres []int64, listed bool) (rows [][]any) {
	for position, genre := range genres {
		rows = append(rows, []any{song, position, genre, boolInt(listed)})
	}
	return rows
}

func (t *tx) putGenres(ctx context.Context, rows [][]any) error {
	return t.insertMany(ctx, "ingest genres", "song_genres", "song, position, genre, listed", rows, "")
}

// readGenres reads the genres of songs.
func (t *tx) readGenres(ctx context.Context, byNum map[int64]*storedSong, nums []int64) error {
	_, err := collect(ctx, t, "read known genres", func(rows *sql.Rows) (none struct{}, err error) {
		var song, genre int64
		if err := rows.Scan(&song, &genre); err != nil {
			return none, err
		}
		byNum[song].genres = append(byNum[song].genres, genre)
		return none, nil
	}, `SELECT song, genre FROM song_genres WHERE `+t.d.among("song")+` ORDER BY song, position`, t.d.list(nums))
	return err
}

// genreTally accumulates the changes of the counts of genres.
type genreTally struct {
	songs  map[int64]int64
	albums map[albumGenre]int64
}

type albumGenre struct{ genre, album int64 }

func newGenreTally() genreTally {
	return genreTally{songs: make(map[int64]int64), albums: make(map[albumGenre]int64)}
}

// shift counts n available songs of an album, 0 for none.
func (c genreTally) shift(n, album int64, genres []int64) {
	for _, genre := range genres {
		c.songs[genre] += n
		if album != 0 {
			c.albums[albumGenre{genre, album}] += n
		}
	}
}

func (c genreTally) write(ctx context.Context, t *tx) error {
	albums, err := c.writeAlbums(ctx, t)
	if err != nil {
		return err
	}
	var rows [][]any
	for _, genre := range sortedKeys(c.songs) {
		if c.songs[genre] != 0 || albums[genre] != 0 {
			rows = append(rows, []any{genre, c.songs[genre], albums[genre]})
		}
	}
	return t.addMany(ctx, "genres", []string{"song_count", "album_count"}, rows)
}

// writeAlbums counts the songs of albums by genre, and returns by how many albums genres change.
func (c genreTally) writeAlbums(ctx context.Context, t *tx) (albums map[int64]int64, err error) {
	var pairs []albumGenre
	for pair, n := range c.albums {
		if n != 0 {
			pairs = append(pairs, pair)
		}
	}
	slices.SortFunc(pairs, func(a, b albumGenre) int {
		return cmp.Or(cmp.Compare(a.genre, b.genre), cmp.Compare(a.album, b.album))
	})
	albums = make(map[int64]int64)
	for chunk := range slices.Chunk(pairs, 250) {
		counts, err := t.albumGenres(ctx, chunk)
		if err != nil {
			return nil, err
		}
		rows := make([][]any, len(chunk))
		for i, pair := range chunk {
			before, after := counts[pair], counts[pair]+c.albums[pair]
			albums[pair.genre] += int64(boolInt(after > 0) - boolInt(before > 0))
			rows[i] = []any{pair.genre, pair.album, c.albums[pair]}
		}
		err = t.insertMany(ctx, "count the genres of albums", "album_genres", "genre, album, songs", rows,
			`ON CONFLICT (genre, album) DO UPDATE SET songs = album_genres.songs + excluded.songs`)
		if err != nil {
			return nil, err
		}
	}
	return albums, nil
}

// albumGenres reads the numbers of songs of albums by genre. The list of pairs is joined, because
// SQLite would scan the table for IN.
func (t *tx) albumGenres(ctx context.Context, pairs []albumGenre) (map[albumGenre]int64, error) {
	values := make([]string, len(pairs))
	args := make([]any, 0, 2*len(pairs))
	for i, pair := range pairs {
		values[i] = fmt.Sprintf("(CAST($%d AS BIGINT), CAST($%d AS BIGINT))", 2*i+1, 2*i+2)
		args = append(args, pair.genre, pair.album)
	}
	counts := make(map[albumGenre]int64, len(pairs))
	_, err := collect(ctx, t, "read the genres of albums", func(rows *sql.Rows) (none struct{}, err error) {
		var pair albumGenre
		var n int64
		err = rows.Scan(&pair.genre, &pair.album, &n)
		counts[pair] = n
		return none, err
	}, `SELECT g.genre, g.album, g.songs FROM (VALUES `+strings.Join(values, ", ")+`) v
		JOIN album_genres g ON g.genre = v.column1 AND g.album = v.column2`, args...)
	return counts, err
}

// recountGenres recomputes the genres of two albums after a merge.
func (t *tx) recountGenres(ctx context.Context, a, b int64) error {
	return t.run(ctx, "count the genres of merged albums", []statement{
		{`DELETE FROM album_genres WHERE album IN ($1, $2)`, []any{a, b}},
		{`INSERT INTO album_genres (genre, album, songs) SELECT x.genre, s.album, count(*) FROM songs s
			JOIN song_genres x ON x.song = s.num WHERE s.album IN ($1, $2) AND s.available = 1 GROUP BY x.genre, s.album`,
			[]any{a, b}},
		{`UPDATE genres SET album_count = (SELECT count(*) FROM album_genres x
			WHERE x.genre = genres.num AND x.songs > 0)`, nil},
	})
}
