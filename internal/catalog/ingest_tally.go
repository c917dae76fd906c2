package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// tally accumulates the changes of the counts of artists and albums.
type tally struct {
	artists map[int64]*artistDelta
	albums  map[int64]*albumDelta
	genres  genreTally
}

type artistDelta struct{ songs, plays, albums int64 }

type albumDelta struct {
	songs, duration int64
	recast          bool // before and after are complete
	before, after   []int64
}

func newTally() *tally {
	return &tally{artists: make(map[int64]*artistDelta), albums: make(map[int64]*albumDelta), genres: newGenreTally()}
}

func (c *tally) artist(num int64) *artistDelta {
	d := c.artists[num]
	if d == nil {
		d = &artistDelta{}
		c.artists[num] = d
	}
	return d
}

func (c *tally) album(num int64) *albumDelta {
	d := c.albums[num]
	if d == nil {
		d = &albumDelta{}
		c.albums[num] = d
	}
	return d
}

// add counts an available song; album 0 means none.
func (c *tally) add(album, duration int64, credited, genres []int64) {
	c.shift(1, album, duration, credited)
	c.genres.shift(1, album, genres)
}

// remove subtracts a song if it was available.
func (c *tally) remove(old *storedSong) {
	if old.available {
		c.shift(-1, old.album, -old.duration, old.credited)
		c.genres.shift(-1, old.album, old.genres)
	}
}

func (c *tally) shift(songs, album, duration int64, credited []int64) {
	for _, num := range credited {
		c.artist(num).songs += songs
	}
	if album != 0 {
		d := c.album(album)
		d.songs += songs
		d.duration += duration
	}
}

// plays adds plays to artists.
func (c *tally) plays(credited []int64, n int64) {
	if n == 0 {
		return
	}
	for _, num := range credited {
		c.artist(num).plays += n
	}
}

// recast records an album's artists before and after the change.
func (c *tally) recast(album int64, before, after []int64) {
	d := c.album(album)
	d.recast, d.before, d.after = true, before, after
}

// write applies the tally in the order of row numbers, so that concurrent changes cannot deadlock.
func (c *tally) write(ctx context.Context, t *tx) error {
	if err := c.writeAlbums(ctx, t); err != nil {
		return err
	}
	if err := c.genres.write(ctx, t); err != nil {
		return err
	}
	return c.writeArtists(ctx, t)
}

func (c *tally) writeAlbums(ctx context.Context, t *tx) error {
	nums := sortedKeys(c.albums)
	counts, err := t.counts(ctx, "albums", "song_count", "duration", nums)
	if err != nil {
		return err
	}
	if err := c.readCast(ctx, t, nums); err != nil {
		return err
	}
	var rows [][]any
	for _, num := range nums {
		d := c.albums[num]
		before, after := counts[num][0] > 0, counts[num][0]+d.songs > 0
		if before != after {
			t.addCount(albumsOrder, 1)
		}
		if before {
			for _, artist := range d.before {
				c.artist(artist).albums--
			}
		}
		if after {
			for _, artist := range d.after {
				c.artist(artist).albums++
			}
		}
		if d.songs != 0 || d.duration != 0 {
			rows = append(rows, []any{num, d.songs, d.duration})
		}
	}
	return t.addMany(ctx, "albums", []string{"song_count", "duration"}, rows)
}

// readCast reads the artists of albums whose songs changed but whose artists did not.
func (c *tally) readCast(ctx context.Context, t *tx, nums []int64) error {
	nums = slices.DeleteFunc(slices.Clone(nums), func(num int64) bool { return c.albums[num].recast })
	for chunk := range slices.Chunk(nums, 500) {
		_, err := collect(ctx, t, "read album artists", func(rows *sql.Rows) (none struct{}, err error) {
			var album, artist int64
			if err := rows.Scan(&album, &artist); err != nil {
				return none, err
			}
			d := c.albums[album]
			d.before = append(d.before, artist)
			d.after = d.before
			return none, nil
		}, `SELECT album, artist FROM album_artists WHERE album IN (`+in(1, len(chunk))+`)`, anySlice(chunk)...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *tally) writeArtists(ctx context.Context, t *tx) error {
	nums := sortedKeys(c.artists)
	counts, err := t.counts(ctx, "artists", "song_count", "album_count", nums)
	if err != nil {
		return err
	}
	var rows [][]any
	for _, num := range nums {
		d := c.artists[num]
		songs, albums := counts[num][0], counts[num][1]
		if (songs > 0) != (songs+d.songs > 0) || (albums > 0) != (albums+d.albums > 0) {
			t.addCount(artistsOrder, 1)
		}
		if *d != (artistDelta{}) {
			rows = append(rows, []any{num, d.songs, d.plays, d.albums})
		}
	}
	return t.addMany(ctx, "artists", []string{"song_count", "play_count", "album_count"}, rows)
}

// counts reads two counts of rows by number.
func (t *tx) counts(ctx context.Context, table, first, second string, nums []int64) (map[int64][2]int64, error) {
	counts := make(map[int64][2]int64, len(nums))
	for chunk := range slices.Chunk(nums, 500) {
		_, err := collect(ctx, t, "read counts of "+table, func(rows *sql.Rows) (none struct{}, err error) {
			var num int64
			var n [2]int64
			err = rows.Scan(&num, &n[0], &n[1])
			counts[num] = n
			return none, err
		}, `SELECT num, `+first+`, `+second+` FROM `+table+` WHERE `+t.d.among("num"), t.d.list(chunk))
		if err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// addMany adds to columns of many rows. Each row of parameters is a number and the value to add to
// each column.
func (t *tx) addMany(ctx context.Context, table string, columns []string, rows [][]any) error {
	if t.d.rowsAtOnce == 1 {
		sums := make([]string, len(columns))
		for i, column := range columns {
			sums[i] = fmt.Sprintf("%s = %s + $%d", column, column, i+2)
		}
		return t.each(ctx, "count "+table, `UPDATE `+table+` SET `+strings.Join(sums, ", ")+` WHERE num = $1`, rows)
	}
	for chunk := range slices.Chunk(rows, 50) {
		var b strings.Builder
		fmt.Fprintf(&b, "UPDATE %s SET ", table)
		for i, column := range columns {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s = %s + v.column%d", column, column, i+2)
		}
		b.WriteString(" FROM (VALUES ")
		var args []any
		for i, row := range chunk {
			if i > 0 {
				b.WriteString(", ")
			}
			for j := range row {
				b.WriteString([]string{"(", ", "}[min(j, 1)])
				fmt.Fprintf(&b, "CAST($%d AS BIGINT)", len(args)+j+1)
			}
			b.WriteByte(')')
			args = append(args, row...)
		}
		fmt.Fprintf(&b, ") AS v WHERE %s.num = v.column1", table)
		if _, err := t.ExecContext(ctx, b.String(), args...); err != nil {
			return fmt.Errorf("count %s: %w", table, err)
		}
	}
	return nil
}
