package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// A song's row of personal counts its plays by one user; the rows of its album and of its main and
// featured artists are the sums over their songs.

// addPersonalPlays adds plays to a row of personal that exists.
const addPersonalPlays = `ON CONFLICT (listener, kind, item) DO UPDATE
	SET play_count = personal.play_count + excluded.play_count,
	last_played_at = CASE WHEN personal.last_played_at > excluded.last_played_at THEN personal.last_played_at
		ELSE excluded.last_played_at END`

// countPersonal adds new plays to the rows of their listeners. albums and credited are the album
// and the artists of each song.
func (t *tx) countPersonal(
	ctx context.Context, plays map[listening]*heard, albums map[int64]int64, credited map[int64][]int64,
) error {
	type key struct{ listener, kind, item int64 }
	sums := make(map[key]*heard)
	add := func(listener int64, kind ItemKind, item int64, h *heard) {
		k := key{listener, int64(kind), item}
		if sums[k] == nil {
			sums[k] = &heard{}
		}
		sums[k].add(h)
	}
	for l, h := range plays {
		add(l.listener, SongItem, l.song, h)
		if albums[l.song] != 0 {
			add(l.listener, AlbumItem, albums[l.song], h)
		}
		for _, artist := range credited[l.song] {
			add(l.listener, ArtistItem, artist, h)
		}
	}
	rows := make([][]any, 0, len(sums))
	for k, h := range sums {
		rows = append(rows, []any{k.listener, k.kind, k.item, h.plays, h.last})
	}
	// All servers use the same order, so that they cannot deadlock.
	slices.SortFunc(rows, func(a, b []any) int {
		for i := range 3 {
			if c := cmp.Compare(a[i].(int64), b[i].(int64)); c != 0 {
				return c
			}
		}
		return 0
	})
	return t.insertMany(ctx, "count plays of listeners", "personal", "listener, kind, item, play_count, last_played_at",
		rows, addPersonalPlays)
}

// movePersonalPlays moves the plays of songs that were tagged anew from their former album and
// artists to the new ones.
func (t *tx) movePersonalPlays(ctx context.Context, moved []movedSong) error {
	for _, m := range moved {
		var steps []statement
		for _, from := range m.from {
			steps = append(steps, statement{`UPDATE personal SET play_count = play_count - (SELECT m.play_count
				FROM personal m WHERE m.listener = personal.listener AND m.kind = 1 AND m.item = $1)
				WHERE kind = $2 AND item = $3 AND listener IN (SELECT m.listener FROM personal m
				WHERE m.listener IN (SELECT num FROM users) AND m.kind = 1 AND m.item = $1)`,
				[]any{m.song, int64(from.kind), from.num}},
				statement{`UPDATE personal SET last_played_at = NULL WHERE kind = $1 AND item = $2 AND play_count = 0
				AND listener IN (SELECT num FROM users)`, []any{int64(from.kind), from.num}})
		}
		for _, to := range m.to {
			steps = append(steps, statement{`INSERT INTO personal (listener, kind, item, play_count, last_played_at)
				SELECT listener, CAST($1 AS BIGINT), CAST($2 AS BIGINT), play_count, last_played_at FROM personal
				WHERE listener IN (SELECT num FROM users) AND kind = 1 AND item = $3 AND last_played_at IS NOT NULL ` +
				addPersonalPlays, []any{int64(to.kind), to.num, m.song}})
		}
		if err := t.run(ctx, "move plays of listeners", steps); err != nil {
			return err
		}
	}
	if len(moved) == 0 {
		return nil
	}
	return t.touchAll(ctx)
}

// movedSong is a played song with the album and artists that it left and joined.
type movedSong struct {
	song     int64
	from, to []itemRef
}

// touchAll raises the versions of all users with personal data.
func (t *tx) touchAll(ctx context.Context) error {
	nums, err := collect(ctx, t, "list users", scanNum,
		`SELECT num FROM users WHERE EXISTS (SELECT 1 FROM personal WHERE listener = users.num)`)
	for _, num := range nums {
		t.touch(num)
	}
	return err
}

// mergePersonal gives the likes, ratings and plays of a merged album or artist to the one it was
// merged into: the earlier like, the rating of the latter if it has one.
func (t *tx) mergePersonal(ctx context.Context, kind ItemKind, into, from int64) error {
	err := t.run(ctx, "merge personal data", []statement{
		{`INSERT INTO personal (listener, kind, item, liked_at, rating, rated_at, play_count, last_played_at)
			SELECT listener, kind, CAST($1 AS BIGINT), liked_at, rating, rated_at, play_count, last_played_at FROM personal
			WHERE listener IN (SELECT num FROM users) AND kind = $2 AND item = $3
			ON CONFLICT (listener, kind, item) DO UPDATE SET
			liked_at = CASE WHEN personal.liked_at < excluded.liked_at OR excluded.liked_at IS NULL THEN personal.liked_at
				ELSE excluded.liked_at END,
			rating = coalesce(personal.rating, excluded.rating), rated_at = coalesce(personal.rated_at, excluded.rated_at),
			play_count = personal.play_count + excluded.play_count,
			last_played_at = CASE WHEN personal.last_played_at > excluded.last_played_at OR excluded.last_played_at IS NULL
				THEN personal.last_played_at ELSE excluded.last_played_at END`, []any{into, int64(kind), from}},
		{`DELETE FROM personal WHERE listener IN (SELECT num FROM users) AND kind = $1 AND item = $2`,
			[]any{int64(kind), from}},
	})
	if err != nil {
		return err
	}
	if kind == ArtistItem { // a song that credited both counts once
		_, err = t.ExecContext(ctx, `UPDATE personal SET play_count = (SELECT coalesce(sum(m.play_count), 0)
			FROM personal m WHERE m.listener = personal.listener AND m.kind = 1
			AND m.item IN (SELECT song FROM song_artists WHERE artist = $1 AND role IN ('main', 'featured')))
			WHERE listener IN (SELECT num FROM users) AND kind = 3 AND item = $1 AND play_count > 0`, into)
		if err != nil {
			return fmt.Errorf("count plays of listeners: %w", err)
		}
	}
	return t.touchAll(ctx)
}
