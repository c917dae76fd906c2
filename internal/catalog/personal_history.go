package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// HistoryEntry is one play of a user.
type HistoryEntry struct {
	ID       string
	PlayedAt time.Time
	Source   string // name of the key or program that reported it; empty: unknown
	Song     Song
}

const (
	playPrefix    = "py_"
	longestSource = 64
)

// playID returns the id of a play: its number in 12 digits and its time of arrival in 10. The time
// distinguishes it from an earlier play with the same number, which was deleted.
func playID(num, received int64) string {
	id := []byte(playPrefix + "0000000000000000000000")
	for _, part := range []struct {
		end   int
		value int64
	}{{len(playPrefix) + 12, num}, {len(id), received}} {
		for at, n := part.end-1, part.value; n > 0; at, n = at-1, n/62 {
			id[at] = base62[n%62]
		}
	}
	return string(id)
}

// parsePlayID is the reverse of playID.
func parsePlayID(id string) (num, received int64, ok bool) {
	if !isID(playPrefix, id) {
		return 0, 0, false
	}
	for i, c := range []byte(id[len(playPrefix):]) {
		into := &num
		if i >= 12 {
			into = &received
		}
		*into = *into*62 + int64(base62Value(c))
	}
	return num, received, playID(num, received) == id // false after an overflow
}

func base62Value(c byte) int {
	switch {
	case c <= '9':
		return int(c - '0')
	case c <= 'Z':
		return int(c-'A') + 10
	}
	return int(c-'a') + 36
}

// History returns a page of the plays of a user, newest first, including those that do not count.
func (s *Store) History(ctx context.Context, v Viewer, page Page) ([]HistoryEntry, int64, error) {
	s = s.on(ctx)
	list := ordered{
		name: "history", scope: v.num, version: s.View().PersonalVersion(v),
		table: "plays", where: "listener = $1", args: []any{v.num},
		keys: []string{"played_at", "num"}, descending: true, also: []string{"song", "received_at", "source"},
		join: "JOIN songs s ON s.num = k.song",
	}
	return countedPage(ctx, s, list, page, songColumns+", k.num, k.received_at, k.played_at, k.source",
		func(rows *sql.Rows) (HistoryEntry, error) {
			var num, received, played int64
			var source sql.NullString
			song, err := scanSong(rows, &num, &received, &played, &source)
			return HistoryEntry{
				ID: playID(num, received), PlayedAt: time.UnixMilli(played), Source: source.String, Song: song,
			}, err
		})
}

// ForgetPlay deletes one play of a user's history. The counts of the user fall; those of the
// catalog stay.
func (s *Store) ForgetPlay(ctx context.Context, v Viewer, id string) error {
	num, received, ok := parsePlayID(id)
	if !ok {
		return notFound("play", id)
	}
	return s.changePersonal(ctx, v, func(t *tx) (bool, error) {
		var song, played, counted int64
		err := t.QueryRowContext(ctx, `DELETE FROM plays WHERE num = $1 AND received_at = $2 AND listener = $3
			RETURNING song, played_at, counted`, num, received, v.num).Scan(&song, &played, &counted)
		if errors.Is(err, sql.ErrNoRows) {
			return false, notFound("play", id)
		}
		if err != nil {
			return false, fmt.Errorf("delete play %s: %w", id, err)
		}
		for listeners := []int64{v.num}; len(listeners) > 0; {
			if listeners, err = t.sumPlays(ctx); err != nil { // the play may be among them
				return false, err
			}
		}
		return true, t.uncountPlay(ctx, v, song, played, counted)
	})
}

// uncountPlay subtracts a deleted play from the rows of a user: of the song, then of its album and
// artists, whose last play is that of their available songs.
func (t *tx) uncountPlay(ctx context.Context, v Viewer, song, played, counted int64) error {
	const reduce = `UPDATE personal SET play_count = CASE WHEN play_count > $1 THEN play_count - $1 ELSE 0 END,
		last_played_at = CASE WHEN last_played_at > $2 THEN last_played_at ELSE `
	const own = ` END WHERE listener = $3 AND kind = `
	err := t.run(ctx, "subtract a play", []statement{
		{reduce + `(SELECT max(played_at) FROM plays WHERE song = $4 AND listener = $3)` + own + `1 AND item = $4`,
			[]any{counted, played, v.num, song}},
		{reduce + `(SELECT max(m.last_played_at) FROM songs s JOIN personal m ON m.item = s.num WHERE m.listener = $3
			AND m.kind = 1 AND s.album = personal.item AND s.available = 1)` + own + `2
			AND item = (SELECT album FROM songs WHERE num = $4)`, []any{counted, played, v.num, song}},
		{reduce + `(SELECT max(m.last_played_at) FROM song_artists x JOIN personal m ON m.item = x.song
			WHERE m.listener = $3 AND m.kind = 1 AND x.artist = personal.item AND x.listed = 1)` + own + `3
			AND item IN (SELECT artist FROM song_artists WHERE song = $4 AND role IN ('main', 'featured'))`,
			[]any{counted, played, v.num, song}},
	})
	if err != nil {
		return err
	}
	return t.removeEmpty(ctx, v, `kind < 4`)
}

// ForgetPlays deletes the whole history of a user. The counts of the catalog stay.
func (s *Store) ForgetPlays(ctx context.Context, v Viewer) error {
	return s.changePersonal(ctx, v, func(t *tx) (bool, error) {
		err := t.run(ctx, "delete the history", []statement{
			{`DELETE FROM plays WHERE listener = $1`, []any{v.num}},
			{`DELETE FROM new_plays WHERE listener = $1`, []any{v.num}},
			{`UPDATE personal SET play_count = 0, last_played_at = NULL WHERE listener = $1 AND last_played_at IS NOT NULL`,
				[]any{v.num}},
		})
		if err != nil {
			return false, err
		}
		return true, t.removeEmpty(ctx, v, `kind < 4`)
	})
}
