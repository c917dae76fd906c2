package catalog

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"waxwing/internal/fault"
	"waxwing/internal/words"
)

// recordPlays stores many plays in a few statements. Each play has a result of its own; an error
// applies to all.
func (t *tx) recordPlays(ctx context.Context, plays []*queuedPlay) error {
	// All servers use the same order, so that they cannot deadlock.
	plays = slices.Clone(plays)
	slices.SortStableFunc(plays, func(a, b *queuedPlay) int { return cmp.Compare(a.SongID, b.SongID) })
	songs, err := t.playedSongs(ctx, plays)
	if err != nil {
		return err
	}
	b := playBatch{songs: songs, now: t.now, counted: make(map[listening][]int64),
		known: make(map[idempotencyKey]*knownPlay), heard: make(map[listening]*heard)}
	if err := b.readKnown(ctx, t, plays); err != nil {
		return err
	}
	if err := b.readNearby(ctx, t, plays); err != nil {
		return err
	}
	for _, p := range plays {
		b.decide(p)
	}
	if len(b.rows) == 0 {
		t.invisible = true
		return nil
	}
	if err := t.insertPlays(ctx, b.rows); err != nil {
		return err
	}
	if err := t.insertNewPlays(ctx, b.heard); err != nil {
		return err
	}
	return t.countPlays(ctx, songs)
}

// playedSong is a song with new plays.
type playedSong struct {
	num   int64
	heat  sql.NullFloat64
	plays int64 // new plays that count
}

// heard sums up the new plays of a listener.
type heard struct {
	plays int64 // those that count
	last  int64 // time of the last
}

type listening struct{ song, listener int64 }

type idempotencyKey struct {
	listener int64
	key      string
}

type knownPlay struct {
	song    int64
	counted bool
}

// playBatch decides which plays count.
type playBatch struct {
	songs   map[string]*playedSong
	now     int64
	counted map[listening][]int64 // times of plays that count
	known   map[idempotencyKey]*knownPlay
	rows    [][]any // to insert
	heard   map[listening]*heard
}

// playedSongs reads and locks the songs of plays.
func (t *tx) playedSongs(ctx context.Context, plays []*queuedPlay) (map[string]*playedSong, error) {
	var ids []string
	for _, p := range plays {
		ids = append(ids, p.SongID)
	}
	songs := make(map[string]*playedSong, len(ids))
	_, err := collect(ctx, t, "read the songs of plays", func(rows *sql.Rows) (none struct{}, err error) {
		var id string
		s := new(playedSong)
		err = rows.Scan(&id, &s.num, &s.heat)
		songs[id] = s
		return none, err
	}, `SELECT id, num, heat FROM songs WHERE id IN (`+in(1, len(ids))+`) ORDER BY id`+
		t.d.rowLock, anySlice(ids)...)
	return songs, err
}

// readKnown reads earlier plays with the same idempotency keys.
func (b *playBatch) readKnown(ctx context.Context, t *tx, plays []*queuedPlay) error {
	var pairs []string
	var args []any
	for _, p := range plays {
		if p.Idempotency != "" {
			pairs = append(pairs, fmt.Sprintf("(CAST($%d AS BIGINT), CAST($%d AS TEXT))", len(args)+1, len(args)+2))
			args = append(args, p.Listener.num, p.Idempotency)
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	_, err := collect(ctx, t, "look up plays sent before", func(rows *sql.Rows) (none struct{}, err error) {
		var key idempotencyKey
		p := new(knownPlay)
		err = rows.Scan(&key.listener, &key.key, &p.song, &p.counted)
		b.known[key] = p
		return none, err
	}, knownPlaysSQL(strings.Join(pairs, ", ")), args...)
	return err
}

// readNearby reads the plays within repeatWindow of the new ones.
func (b *playBatch) readNearby(ctx context.Context, t *tx, plays []*queuedPlay) error {
	var pairs []string
	var args []any
	from, to := b.now, int64(0)
	for _, p := range plays {
		song := b.songs[p.SongID]
		if song == nil {
			continue
		}
		at := min(p.PlayedAt.UnixMilli(), b.now)
		from, to = min(from, at), max(to, at)
		pairs = append(pairs, fmt.Sprintf("(CAST($%d AS BIGINT), CAST($%d AS BIGINT))", len(args)+1, len(args)+2))
		args = append(args, song.num, p.Listener.num)
	}
	if len(pairs) == 0 {
		return nil
	}
	args = append(args, from-repeatWindow.Milliseconds(), to+repeatWindow.Milliseconds())
	_, err := collect(ctx, t, "look up plays of the same time", func(rows *sql.Rows) (none struct{}, err error) {
		var h listening
		var at int64
		err = rows.Scan(&h.song, &h.listener, &at)
		b.counted[h] = append(b.counted[h], at)
		return none, err
	}, nearbyPlaysSQL(strings.Join(pairs, ", "), fmt.Sprintf("$%d", len(args)-1), fmt.Sprintf("$%d", len(args))), args...)
	return err
}

// Lists of pairs are joined, because SQLite would scan all plays for IN.

func knownPlaysSQL(pairs string) string {
	return `SELECT p.listener, p.idempotency, p.song, p.counted FROM (VALUES ` + pairs + `) v
		JOIN plays p ON p.listener = v.column1 AND p.idempotency = v.column2 WHERE p.idempotency IS NOT NULL`
}

func nearbyPlaysSQL(pairs, after, before string) string {
	return `SELECT p.song, p.listener, p.played_at FROM (VALUES ` + pairs + `) v
		JOIN plays p ON p.song = v.column1 AND p.listener = v.column2 WHERE p.played_at > ` + after + `
		AND p.played_at < ` + before + ` AND p.counted = 1`
}

// decide sets the result of a play and adds its row.
func (b *playBatch) decide(p *queuedPlay) {
	p.counted, p.err = false, nil // an earlier attempt may have set them
	song := b.songs[p.SongID]
	if song == nil {
		p.err = notFound("song", p.SongID)
		return
	}
	once := idempotencyKey{p.Listener.num, p.Idempotency}
	if known := b.known[once]; known != nil && p.Idempotency != "" {
		if known.song != song.num {
			p.err = fault.New(fault.Conflict, "this Idempotency-Key was used for a play of another song")
		}
		p.counted = known.counted && p.err == nil
		return
	}
	at := min(p.PlayedAt.UnixMilli(), b.now)
	h := listening{song.num, p.Listener.num}
	near := func(other int64) bool {
		return other > at-repeatWindow.Milliseconds() && other < at+repeatWindow.Milliseconds()
	}
	p.counted = !slices.ContainsFunc(b.counted[h], near)
	if p.counted {
		b.counted[h] = append(b.counted[h], at)
		song.heat = sql.NullFloat64{Float64: addHeat(song.heat, at), Valid: true}
		song.plays++
	}
	if p.Idempotency != "" {
		b.known[once] = &knownPlay{song.num, p.counted}
	}
	if b.heard[h] == nil {
		b.heard[h] = &heard{}
	}
	b.heard[h].add(&heard{int64(boolInt(p.counted)), at})
	b.rows = append(b.rows, []any{song.num, p.Listener.num, at, boolInt(p.counted), null(p.Idempotency), b.now,
		null(words.Clean(p.Source, longestSource))})
}

// insertPlays writes new plays. If another server has used an idempotency key concurrently, the
// change runs again.
func (t *tx) insertPlays(ctx context.Context, rows [][]any) error {
	var values []string
	var args []any
	for _, row := range rows {
		values = append(values, "("+in(len(args)+1, len(row))+")")
		args = append(args, row...)
	}
	done, err := t.ExecContext(ctx, `INSERT INTO plays (song, listener, played_at, counted, idempotency, received_at,
		source) VALUES `+
		strings.Join(values, ", ")+` ON CONFLICT DO NOTHING`, args...)
	if err != nil {
		return fmt.Errorf("insert plays: %w", err)
	}
	if n, err := done.RowsAffected(); err != nil || n != int64(len(rows)) {
		return fmt.Errorf("insert %d plays, %d of them new: %w", len(rows), n, cmp.Or(err, errConflict))
	}
	return nil
}

// countPlays adds plays to their songs and artists.
func (t *tx) countPlays(ctx context.Context, songs map[string]*playedSong) error {
	var heard []*playedSong
	var nums []int64
	for _, id := range sortedKeys(songs) {
		if s := songs[id]; s.plays > 0 {
			heard, nums = append(heard, s), append(nums, s.num)
		}
	}
	if len(heard) == 0 {
		t.invisible = true
		return nil
	}
	if err := t.writeHeat(ctx, heard); err != nil {
		return err
	}
	credited, err := t.creditedArtists(ctx, nums)
	if err != nil {
		return err
	}
	artists := make(map[int64]int64)
	for _, s := range heard {
		for _, artist := range credited[s.num] {
			artists[artist] += s.plays
		}
	}
	var rows [][]any
	for _, artist := range sortedKeys(artists) {
		rows = append(rows, []any{artist, artists[artist]})
	}
	return t.addMany(ctx, "artists", []string{"play_count"}, rows)
}

// creditedArtists reads the main and featured artists of songs, by number of the song.
func (t *tx) creditedArtists(ctx context.Context, songs []int64) (map[int64][]int64, error) {
	credited := make(map[int64][]int64)
	_, err := collect(ctx, t, "read the artists of plays", func(rows *sql.Rows) (none struct{}, err error) {
		var song, artist int64
		err = rows.Scan(&song, &artist)
		credited[song] = append(credited[song], artist)
		return none, err
	}, `SELECT DISTINCT song, artist FROM song_artists WHERE role IN ('main', 'featured')
		AND `+t.d.among("song"), t.d.list(songs))
	return credited, err
}

// writeHeat stores the play counts and heat of songs.
func (t *tx) writeHeat(ctx context.Context, heard []*playedSong) error {
	var values []string
	var args []any
	for _, s := range heard {
		n := len(args)
		values = append(values, fmt.Sprintf("(CAST($%d AS BIGINT), CAST($%d AS BIGINT), CAST($%d AS DOUBLE PRECISION))",
			n+1, n+2, n+3))
		args = append(args, s.num, s.plays, s.heat)
	}
	_, err := t.ExecContext(ctx, `UPDATE songs SET play_count = play_count + v.column2, heat = v.column3 FROM (VALUES `+
		strings.Join(values, ", ")+`) AS v WHERE songs.num = v.column1`, args...)
	if err != nil {
		return fmt.Errorf("count plays of songs: %w", err)
	}
	return nil
}
