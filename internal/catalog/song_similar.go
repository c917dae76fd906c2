package catalog

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"
)

const (
	// sessionGap is the time between two plays of one listening session.
	sessionGap = 30 * time.Minute
	// similarPlays is how many plays of a song, the latest, are looked at for their sessions.
	similarPlays = 50
	// similarLists and similarCandidates bound the artists and genres that are looked at, and the
	// songs of each.
	similarLists      = 8
	similarCandidates = 200
)

// Points of a song that is similar to another. A listener's own sessions say most.
const (
	pointsSession = 6 // for each session, up to maxSessions
	maxSessions   = 5
	pointsArtist  = 8
	pointsGenre   = 4 // for each genre
	pointsYear    = 2 // of the same year; half of it within three years
)

// Similar returns up to limit available songs that are similar to a song, the most similar first:
// of the same artists, genres and years, and those that the viewer played within 30 minutes of it.
// Equal data has equal results.
func (s *Store) Similar(ctx context.Context, v Viewer, id string, limit int64) ([]Song, error) {
	s = s.on(ctx)
	if !isID(songPrefix, id) {
		return nil, notFound("song", id)
	}
	song, err := s.songBy(ctx, songColumns, id)
	if err != nil {
		return nil, err
	}
	c := similarity{s: s, song: song.num, points: make(map[int64]int)}
	if err := c.collect(ctx, v); err != nil {
		return nil, s.d.explain(err)
	}
	nums := c.best(limit)
	place := make(map[int64]int, len(nums))
	for i, num := range nums {
		place[num] = i
	}
	songs, err := collectSongs(ctx, s.read, "read similar songs", songColumns,
		`WHERE s.available = 1 AND `+s.d.among("s.num"), s.d.list(nums))
	slices.SortFunc(songs, func(a, b Song) int { return place[a.num] - place[b.num] })
	return songs, s.d.explain(err)
}

// similarity collects the points of the songs that are similar to one.
type similarity struct {
	s      *Store
	song   int64
	points map[int64]int // by number of the song
}

// collect finds candidates and gives them points.
func (c *similarity) collect(ctx context.Context, v Viewer) error {
	gap := sessionGap.Milliseconds()
	err := c.add(ctx, func(n int64) int { return int(min(n, maxSessions)) * pointsSession },
		fmt.Sprintf(`SELECT p.song, count(DISTINCT o.num) FROM (SELECT num, played_at FROM plays
			WHERE song = $1 AND listener = $2 ORDER BY played_at DESC, num DESC LIMIT %d) o
			JOIN plays p ON p.listener = $2 AND p.played_at BETWEEN o.played_at - %d AND o.played_at + %d
			WHERE p.song <> $1 GROUP BY p.song ORDER BY 2 DESC, 1 LIMIT %d`, similarPlays, gap, gap, similarCandidates),
		c.song, v.num)
	if err != nil {
		return err
	}
	// Songs beside this one in the lists of its artists, genres and year.
	for _, list := range []struct{ table, column, key, num, where string }{
		{"song_artists", "artist", "shelf", "song", "listed = 1"},
		{"song_genres", "genre", "song", "song", "listed = 1"},
		{"songs", "year", "num", "num", "available = 1 AND year > 0"},
	} {
		if err := c.neighbours(ctx, list.table, list.column, list.key, list.num, list.where); err != nil {
			return err
		}
	}
	delete(c.points, c.song)
	nums := c.s.d.list(sortedKeys(c.points))
	for _, shared := range []struct {
		points        int
		table, column string
	}{{pointsArtist, "song_artists", "artist"}, {pointsGenre, "song_genres", "genre"}} {
		err := c.add(ctx, func(n int64) int { return int(n) * shared.points }, fmt.Sprintf(`SELECT song, count(*) FROM %s
			WHERE %s AND listed = 1 AND %s IN (SELECT %s FROM %s WHERE song = $2 AND listed = 1) GROUP BY song`,
			shared.table, c.s.d.among("song"), shared.column, shared.column, shared.table), nums, c.song)
		if err != nil {
			return err
		}
	}
	return c.add(ctx, func(years int64) int {
		switch {
		case years == 0:
			return pointsYear
		case years <= 3:
			return pointsYear / 2
		}
		return 0
	}, `SELECT s.num, abs(s.year - o.year) FROM songs s JOIN songs o ON o.num = $2
		WHERE `+c.s.d.among("s.num")+` AND s.year > 0 AND o.year > 0`, nums, c.song)
}

// neighbours adds candidates from a list of songs that have a value of a column in common with the
// song: those around it in the order of an index. All names are constants of this file.
func (c *similarity) neighbours(ctx context.Context, table, column, key, num, where string) error {
	shared, err := collect(ctx, c.s.read, "read what songs share", func(rows *sql.Rows) (row [2]any, err error) {
		return row, rows.Scan(&row[0], &row[1])
	}, fmt.Sprintf(`SELECT %s, %s FROM %s WHERE %s = $1 AND %s ORDER BY %s LIMIT %d`, column, key, table, num, where,
		column, similarLists), c.song)
	if err != nil {
		return err
	}
	for _, row := range shared {
		for _, side := range [][2]string{{">=", ""}, {"<", " DESC"}} {
			err := c.add(ctx, func(int64) int { return 0 }, fmt.Sprintf(`SELECT %s, 0 FROM %s WHERE %s = $1 AND %s
				AND %s %s $2 ORDER BY %s%s, %s%s LIMIT %d`, num, table, column, where, key, side[0], key, side[1], num, side[1],
				similarCandidates/2), row[0], row[1])
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds points for the rows of a query: a number of a song, and what the points depend on.
func (c *similarity) add(ctx context.Context, points func(n int64) int, query string, args ...any) error {
	_, err := collect(ctx, c.s.read, "find similar songs", func(rows *sql.Rows) (none struct{}, err error) {
		var song, n int64
		err = rows.Scan(&song, &n)
		c.points[song] += points(n)
		return none, err
	}, query, args...)
	return err
}

// best returns the songs with the most points. Equal ones stand in an order that depends on the
// song, so that similar songs do not all name the same ones.
func (c *similarity) best(limit int64) []int64 {
	nums := sortedKeys(c.points)
	slices.SortStableFunc(nums, func(a, b int64) int {
		return cmp.Or(cmp.Compare(c.points[b], c.points[a]), cmp.Compare(c.scrambled(a), c.scrambled(b)))
	})
	return nums[:min(int64(len(nums)), limit)]
}

func (c *similarity) scrambled(num int64) uint64 {
	return scramble(uint64(c.song) ^ scramble(uint64(num)))
}
