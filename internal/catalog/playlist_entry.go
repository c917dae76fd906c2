package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"waxwing/internal/fault"
	"waxwing/internal/words"
)

const (
	// appendEntries is the position after the last entry.
	appendEntries = -1
	// longestPlaylist is the maximum number of entries.
	longestPlaylist = 1_000_000
)

// AddSongs inserts songs into a playlist before the entry at a position, or at the end if at is
// nil. A playlist may contain a song more than once.
func (s *Store) AddSongs(ctx context.Context, owner Viewer, id string, songIDs []string, at *int64) (Playlist, error) {
	return s.editEntries(ctx, owner, id, func(t *tx, p Playlist) error {
		position := int64(appendEntries)
		if at != nil {
			if position = *at; position < 0 || position > p.SongCount {
				return fault.New(fault.Invalid, "position must be 0 to %d", p.SongCount)
			}
		}
		_, err := t.addEntries(ctx, p.num, songIDs, position)
		return err
	})
}

// RemoveSong removes the entry at a position. If it is not the given song, that is a Conflict.
func (s *Store) RemoveSong(
	ctx context.Context, owner Viewer, id string, position int64, songID string,
) (Playlist, error) {
	return s.editEntries(ctx, owner, id, func(t *tx, p Playlist) error {
		e, err := t.entryAt(ctx, p, position, songID)
		if err != nil {
			return err
		}
		if _, err := t.ExecContext(ctx, `DELETE FROM playlist_entries WHERE playlist = $1 AND rank = $2`, p.num,
			e.rank); err != nil {
			return fmt.Errorf("remove an entry: %w", err)
		}
		return t.recount(ctx, p.num, -1, -e.duration)
	})
}

// MoveSong moves the entry at position from to position to. If it is not the given song, that is a
// Conflict.
func (s *Store) MoveSong(
	ctx context.Context, owner Viewer, id string, from, to int64, songID string,
) (Playlist, error) {
	return s.editEntries(ctx, owner, id, func(t *tx, p Playlist) error {
		e, err := t.entryAt(ctx, p, from, songID)
		if err != nil {
			return err
		}
		if to < 0 || to >= p.SongCount {
			return fault.New(fault.Invalid, "to must be 0 to %d", p.SongCount-1)
		}
		if to == from {
			return nil
		}
		before := to
		if to > from {
			before++ // the entry itself is still there
		}
		ranks, err := t.ranksBefore(ctx, p.num, before, 1)
		if err != nil {
			return err
		}
		if e, err = t.entryAt(ctx, p, from, songID); err != nil { // ranks may have been rewritten
			return err
		}
		if _, err := t.ExecContext(ctx, `UPDATE playlist_entries SET rank = $1 WHERE playlist = $2 AND rank = $3`, ranks[0],
			p.num, e.rank); err != nil {
			return fmt.Errorf("move an entry: %w", err)
		}
		return t.recount(ctx, p.num, 0, 0)
	})
}

// ReplaceSongs replaces all entries of a playlist.
func (s *Store) ReplaceSongs(ctx context.Context, owner Viewer, id string, songIDs []string) (Playlist, error) {
	return s.editEntries(ctx, owner, id, func(t *tx, p Playlist) error { return t.replaceEntries(ctx, p, songIDs) })
}

// editEntries changes the entries of one playlist, which must not be a smart one.
func (s *Store) editEntries(
	ctx context.Context, owner Viewer, id string, f func(*tx, Playlist) error,
) (Playlist, error) {
	return s.editPlaylist(ctx, owner, id, func(t *tx, p Playlist) error {
		if err := p.rejectSmart(); err != nil {
			return err
		}
		return f(t, p)
	})
}

func (t *tx) replaceEntries(ctx context.Context, p Playlist, songIDs []string) error {
	if _, err := t.ExecContext(ctx, `DELETE FROM playlist_entries WHERE playlist = $1`, p.num); err != nil {
		return fmt.Errorf("empty playlist %s: %w", p.ID, err)
	}
	if err := t.recount(ctx, p.num, -p.SongCount, -p.Duration); err != nil {
		return err
	}
	_, err := t.addEntries(ctx, p.num, songIDs, appendEntries)
	return err
}

type entryRow struct {
	rank     int64
	song     string
	duration int64
}

// entryAt returns the entry at a position. If it is not the given song, the playlist has changed:
// that is a Conflict.
func (t *tx) entryAt(ctx context.Context, p Playlist, position int64, songID string) (entryRow, error) {
	if position < 0 || position >= p.SongCount {
		return entryRow{}, fault.WithCode(fault.Conflict, fault.StaleIndex,
			"the playlist has no entry %d; it has changed", position)
	}
	found, err := collect(ctx, t, "read an entry", func(rows *sql.Rows) (e entryRow, err error) {
		return e, rows.Scan(&e.rank, &e.song, &e.duration)
	}, `SELECT e.rank, s.id, s.duration FROM (SELECT rank, song FROM playlist_entries WHERE playlist = $1 ORDER BY rank
		LIMIT 1 OFFSET $2) e
	    JOIN songs s ON s.num = e.song`, p.num, position)
	if err != nil {
		return entryRow{}, err
	}
	if len(found) == 0 || found[0].song != songID {
		return entryRow{}, fault.WithCode(fault.Conflict, fault.StaleIndex,
			"entry %d is another song; the playlist has changed", position)
	}
	return found[0], nil
}

// addEntries inserts songs and returns how many.
func (t *tx) addEntries(ctx context.Context, playlist int64, songIDs []string, position int64) (int, error) {
	if len(songIDs) == 0 {
		return 0, nil
	}
	songs, err := t.songNums(ctx, songIDs)
	if err != nil {
		return 0, err
	}
	var count int64
	if err := t.QueryRowContext(ctx, `SELECT song_count FROM playlists WHERE num = $1`,
		playlist).Scan(&count); err != nil {
		return 0, fmt.Errorf("count entries: %w", err)
	}
	if count+int64(len(songs)) > longestPlaylist {
		return 0, fault.New(fault.Conflict, "a playlist has at most %d songs", longestPlaylist)
	}
	if position == appendEntries {
		position = count
	}
	ranks, err := t.ranksBefore(ctx, playlist, position, len(songs))
	if err != nil {
		return 0, err
	}
	rows := make([][]any, len(songs))
	var duration int64
	for i, song := range songs {
		rows[i] = []any{playlist, ranks[i], song.num, t.now}
		duration += song.duration
	}
	if err := t.insertMany(ctx, "add entries", "playlist_entries", "playlist, rank, song, added_at", rows,
		""); err != nil {
		return 0, err
	}
	return len(songs), t.recount(ctx, playlist, int64(len(songs)), duration)
}

type songNum struct{ num, duration int64 }

// ErrUnknownSong is wrapped by the Invalid fault of a list with a song that does not exist.
var ErrUnknownSong = errors.New("unknown song")

func errUnknownSong(id string) error {
	return fault.Wrap(fault.Invalid, ErrUnknownSong, "there is no song %q", words.Clip(id, 64))
}

// CheckSongs returns an error that wraps ErrUnknownSong if there is no song with one of the ids.
func (s *Store) CheckSongs(ctx context.Context, ids []string) error {
	_, err := songNums(ctx, s.read, ids)
	return s.d.explain(err)
}

func (t *tx) songNums(ctx context.Context, ids []string) ([]songNum, error) {
	return songNums(ctx, t, ids)
}

// songNums looks up songs in the order of ids.
func songNums(ctx context.Context, q querier, ids []string) ([]songNum, error) {
	known := make(map[string]songNum, len(ids))
	unique := slices.Compact(slices.Sorted(slices.Values(ids)))
	for _, id := range unique {
		if !isID(songPrefix, id) {
			return nil, errUnknownSong(id)
		}
	}
	for chunk := range slices.Chunk(unique, 1000) {
		_, err := collect(ctx, q, "look up songs", func(rows *sql.Rows) (none struct{}, err error) {
			var id string
			var song songNum
			err = rows.Scan(&id, &song.num, &song.duration)
			known[id] = song
			return none, err
		}, `SELECT id, num, duration FROM songs WHERE id IN (`+in(1, len(chunk))+`)`, anySlice(chunk)...)
		if err != nil {
			return nil, err
		}
	}
	songs := make([]songNum, len(ids))
	for i, id := range ids {
		song, ok := known[id]
		if !ok {
			return nil, errUnknownSong(id)
		}
		songs[i] = song
	}
	return songs, nil
}

// recount updates a playlist's count, duration, version and cover after its entries changed.
func (t *tx) recount(ctx context.Context, playlist, songs, duration int64) error {
	_, err := t.ExecContext(ctx, `UPDATE playlists
		SET song_count = song_count + $1, duration = duration + $2, version = version + 1,
		cover = coalesce((SELECT s.cover FROM playlist_entries e JOIN songs s ON s.num = e.song WHERE e.playlist = $3
		ORDER BY e.rank LIMIT 1), cover) WHERE num = $3`,
		songs, duration, playlist)
	if err != nil {
		return fmt.Errorf("count the entries: %w", err)
	}
	return nil
}

// updatePlaylistDurations recomputes the durations of playlists with songs whose duration changed.
func (p *ingest) updatePlaylistDurations(ctx context.Context) error {
	if len(p.durationChanged) == 0 {
		return nil
	}
	_, err := p.t.ExecContext(ctx, `UPDATE playlists SET duration = (SELECT coalesce(sum(s.duration), 0)
		FROM playlist_entries e JOIN songs s ON s.num = e.song WHERE e.playlist = playlists.num)
		WHERE num IN (SELECT playlist FROM playlist_entries WHERE song IN (`+in(1,
		len(p.durationChanged))+`))`, anySlice(p.durationChanged)...)
	if err != nil {
		return fmt.Errorf("update the durations of playlists: %w", err)
	}
	return nil
}
