package catalog

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"waxwing/internal/fault"
	"waxwing/internal/rules"
	"waxwing/internal/words"
)

// PlaylistChange holds the fields to change; nil fields stay.
type PlaylistChange struct {
	Name        *string
	Description *string
	Public      *bool
	Rules       *rules.Set // of a smart playlist
}

// ChangePlaylist changes the name, description, visibility or rules of a playlist.
func (s *Store) ChangePlaylist(ctx context.Context, owner Viewer, id string, c PlaylistChange) (Playlist, error) {
	c, err := c.clean()
	if err != nil {
		return Playlist{}, err
	}
	return s.editPlaylist(ctx, owner, id, func(t *tx, p Playlist) error { return t.changePlaylist(ctx, p, c) })
}

// clean checks the new values of a change.
func (c PlaylistChange) clean() (PlaylistChange, error) {
	if c.Name != nil {
		name, err := playlistName(*c.Name)
		if err != nil {
			return c, err
		}
		c.Name = &name
	}
	if c.Rules != nil {
		return c, c.Rules.Check()
	}
	return c, nil
}

// changePlaylist writes a change that was cleaned.
func (t *tx) changePlaylist(ctx context.Context, p Playlist, c PlaylistChange) error {
	if c.Name != nil {
		p.Name = *c.Name
	}
	if c.Description != nil {
		p.Description = words.Clean(*c.Description, longestDescription)
	}
	if c.Public != nil {
		p.Public = *c.Public
	}
	if c.Rules != nil {
		if p.Rules == nil {
			return fault.New(fault.Conflict, "only a smart playlist has rules; create another playlist with rules")
		}
		t.countTimed(p.Rules, c.Rules)
		p.Rules = c.Rules
	}
	encoded, err := encodeRules(p.Rules)
	if err != nil {
		return err
	}
	t.addCount(playlistsOrder, 1)
	_, err = t.ExecContext(ctx, `UPDATE playlists SET name = $1, sort_key = $2, description = $3, public = $4,
		rules = $5 WHERE num = $6`,
		p.Name, words.SortKey(p.Name), null(p.Description), boolInt(p.Public), encoded, p.num)
	if err != nil {
		return fmt.Errorf("change playlist %s: %w", p.ID, err)
	}
	return t.index(ctx, playlistSearch, []int64{p.num}, []indexed{{p.num, words.Tokens(p.Name)}})
}

// PlaylistEdit changes a playlist at once: its fields, then its entries. Remove are positions in
// the playlist before the change; Add follow at the end.
type PlaylistEdit struct {
	PlaylistChange
	Remove    []int64
	RemoveAll bool
	Add       []string
}

// EditPlaylist makes all changes of an edit, or none.
func (s *Store) EditPlaylist(ctx context.Context, owner Viewer, id string, e PlaylistEdit) (Playlist, error) {
	change, err := e.PlaylistChange.clean()
	if err != nil {
		return Playlist{}, err
	}
	return s.editPlaylist(ctx, owner, id, func(t *tx, p Playlist) error {
		if len(e.Remove) > 0 || len(e.Add) > 0 || e.RemoveAll {
			if err := p.rejectSmart(); err != nil {
				return err
			}
		}
		if change != (PlaylistChange{}) {
			if err := t.changePlaylist(ctx, p, change); err != nil {
				return err
			}
		}
		if e.RemoveAll {
			return t.replaceEntries(ctx, p, e.Add)
		}
		if len(e.Remove) > 0 {
			if err := t.removeEntries(ctx, p, e.Remove); err != nil {
				return err
			}
		}
		_, err := t.addEntries(ctx, p.num, e.Add, appendEntries)
		return err
	})
}

// removeEntries removes the entries at positions.
func (t *tx) removeEntries(ctx context.Context, p Playlist, positions []int64) error {
	positions = slices.Compact(slices.Sorted(slices.Values(positions)))
	if first, last := positions[0], positions[len(positions)-1]; first < 0 || last >= p.SongCount {
		return fault.New(fault.Invalid, "the playlist has the entries 0 to %d", p.SongCount-1)
	}
	// Ranks exceed 32 bits.
	texts, err := collect(ctx, t, "read the ranks of a playlist", scanNullText, `SELECT string_agg(CAST(rank AS TEXT), ',')
		FROM (SELECT rank FROM playlist_entries WHERE playlist = $1 ORDER BY rank) list`, p.num)
	if err != nil {
		return err
	}
	ranks := strings.Split(texts[0].String, ",")
	if int64(len(ranks)) < p.SongCount {
		return fmt.Errorf("playlist %s has %d entries, want %d", p.ID, len(ranks), p.SongCount)
	}
	removed := make([]int64, len(positions))
	for i, position := range positions {
		if removed[i], err = strconv.ParseInt(ranks[position], 10, 64); err != nil {
			return fmt.Errorf("read the ranks of a playlist: %w", err)
		}
	}
	var duration int64
	err = t.QueryRowContext(ctx, `SELECT coalesce(sum(s.duration), 0) FROM playlist_entries e
		JOIN songs s ON s.num = e.song WHERE e.playlist = $2 AND `+t.d.among("e.rank"), t.d.list(removed), p.num).
		Scan(&duration)
	if err != nil {
		return fmt.Errorf("sum up removed entries: %w", err)
	}
	if _, err := t.ExecContext(ctx, `DELETE FROM playlist_entries WHERE playlist = $2 AND `+t.d.among("rank"),
		t.d.list(removed), p.num); err != nil {
		return fmt.Errorf("remove entries: %w", err)
	}
	return t.recount(ctx, p.num, -int64(len(removed)), -duration)
}

// PlaylistEntries is the entries of a playlist as of one moment, to be read in parts.
type PlaylistEntries struct{ nums []uint32 }

// PlaylistEntries returns the entries of a playlist in their order, unavailable ones included.
func (s *Store) PlaylistEntries(ctx context.Context, p Playlist) (e PlaylistEntries, err error) {
	s = s.on(ctx)
	if p.Rules == nil {
		e.nums, err = readNums(ctx, s.prepared, "list the songs of a playlist",
			`SELECT song AS n FROM playlist_entries WHERE playlist = $1 ORDER BY rank`, p.num)
		return e, s.d.explain(err)
	}
	list, err := s.smartList(p)
	if err == nil {
		e.nums, err = s.nums(ctx, list)
	}
	return e, s.d.explain(err)
}

// Len returns the number of entries.
func (e PlaylistEntries) Len() int { return len(e.nums) }

// EntrySongs returns the songs of a part of the entries.
func (s *Store) EntrySongs(ctx context.Context, v Viewer, e PlaylistEntries, from, n int) ([]FullSong, error) {
	s = s.on(ctx)
	return s.fullSongs(ctx, v, widen(part(e.nums, int64(from), int64(n))))
}
