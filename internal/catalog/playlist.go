package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"waxwing/internal/fault"
	"waxwing/internal/rules"
	"waxwing/internal/words"
)

// Playlist is a named list of songs in its owner's order.
type Playlist struct {
	ID          string
	Name        string
	Description string // empty: none
	Owner       UserRef
	Public      bool
	SongCount   int64 // entries, including unavailable songs
	Duration    int64 // of all entries, milliseconds
	Cover       string
	CreatedAt   time.Time
	UpdatedAt   time.Time
	Rules       *rules.Set // of a smart playlist: its songs follow from them

	num     int64
	owner   int64
	version int64 // increases when entries change
}

// Entry is a song at a position of a playlist.
type Entry struct {
	Song
	Position int64 // from 0
	AddedAt  time.Time
}

const playlistColumns = `p.num, p.id, p.name, p.description, u.id, u.username, u.name, p.owner, p.public,
	p.song_count, p.duration, p.cover, p.version, p.created_at, p.updated_at, p.rules`

func scanPlaylist(rows *sql.Rows) (Playlist, error) {
	var p Playlist
	var description, text sql.NullString
	var created, updated int64
	err := rows.Scan(&p.num, &p.ID, &p.Name, &description, &p.Owner.ID, &p.Owner.Username, &p.Owner.Name,
		&p.owner, &p.Public, &p.SongCount, &p.Duration, &p.Cover, &p.version, &created, &updated, &text)
	p.Description = description.String
	p.CreatedAt, p.UpdatedAt = time.UnixMilli(created), time.UnixMilli(updated)
	if err == nil {
		p.Rules, err = decodeRules(text)
	}
	return p, err
}

// Playlist returns one playlist. A private playlist of another user is a NotFound fault.
func (s *Store) Playlist(ctx context.Context, v Viewer, id string) (Playlist, error) {
	s = s.on(ctx)
	p, err := readPlaylist(ctx, s.read, v, id)
	if err != nil {
		return p, s.d.explain(err)
	}
	return p, s.countSmart(ctx, &p)
}

func readPlaylist(ctx context.Context, q querier, v Viewer, id string) (Playlist, error) {
	if !isID(playlistPrefix, id) {
		return Playlist{}, notFound("playlist", id)
	}
	found, err := collect(ctx, q, "read a playlist", scanPlaylist,
		`SELECT `+playlistColumns+` FROM playlists p JOIN users u ON u.num = p.owner
			WHERE p.id = $1 AND (p.public = 1 OR p.owner = $2)`, id, v.num)
	if err != nil {
		return Playlist{}, err
	}
	if len(found) == 0 {
		return Playlist{}, notFound("playlist", id)
	}
	return found[0], nil
}

// Playlists returns a page of the public playlists and the viewer's own, by name and id.
func (s *Store) Playlists(ctx context.Context, v Viewer, page Page) ([]Playlist, int64, error) {
	s = s.on(ctx)
	return s.playlistPage(ctx, page, ordered{
		name: "playlists", scope: v.num, where: "(public = 1 OR owner = $1)", args: []any{v.num},
	})
}

// UserPlaylists returns a page of a user's playlists by name and id: all of them if the viewer is
// the user, and the public ones otherwise.
func (s *Store) UserPlaylists(ctx context.Context, v Viewer, username string, page Page) ([]Playlist, int64, error) {
	s = s.on(ctx)
	owner, err := s.userNum(ctx, username)
	if err != nil {
		return nil, 0, err
	}
	list := ordered{name: "public playlists of a user", scope: owner, where: "owner = $1 AND public = 1",
		args: []any{owner}}
	if v.num == owner {
		list.name, list.where = "all playlists of a user", "owner = $1"
	}
	return s.playlistPage(ctx, page, list)
}

func (s *Store) playlistPage(
	ctx context.Context, page Page, list ordered,
) (playlists []Playlist, total int64, err error) {
	list.version, list.table = list.version+s.View().playlistsOrder, "playlists"
	list.keys, list.join = []string{"sort_key", "id"}, "JOIN playlists p ON p.id = k.id JOIN users u ON u.num = p.owner"
	playlists, total, err = countedPage(ctx, s, list, page, playlistColumns, scanPlaylist)
	if err != nil {
		return nil, 0, err
	}
	return playlists, total, s.countSmartIn(ctx, playlists)
}

// PlaylistSongs returns a page of a playlist's entries in their order.
func (s *Store) PlaylistSongs(
	ctx context.Context, v Viewer, id string, page Page,
) (entries []Entry, total int64, err error) {
	s = s.on(ctx)
	p, err := readPlaylist(ctx, s.read, v, id)
	if err != nil {
		return nil, 0, s.d.explain(err)
	}
	if p.Rules != nil {
		return s.smartSongs(ctx, p, page)
	}
	list := ordered{
		name: "playlist songs", scope: p.num, version: p.version,
		table: "playlist_entries", where: "playlist = $1", args: []any{p.num},
		keys: []string{"rank"}, also: []string{"song", "added_at"}, join: "JOIN songs s ON s.num = k.song",
	}
	entries, err = pageOf(ctx, s, list, page, p.SongCount, songColumns+", k.added_at",
		func(rows *sql.Rows) (Entry, error) {
			var added int64
			song, err := scanSong(rows, &added)
			return Entry{Song: song, AddedAt: time.UnixMilli(added)}, err
		})
	for i := range entries {
		entries[i].Position = page.offset() + int64(i)
	}
	return entries, p.SongCount, err
}

// NewPlaylist describes a playlist to create.
type NewPlaylist struct {
	Name        string
	Description string
	Public      bool
	SongIDs     []string
	Rules       *rules.Set // nil: an ordinary playlist
}

const (
	longestPlaylistName = 200
	longestDescription  = 2000
)

// CreatePlaylist creates a playlist.
func (s *Store) CreatePlaylist(ctx context.Context, owner Viewer, n NewPlaylist) (Playlist, error) {
	return s.createPlaylist(ctx, owner, n, "")
}

func (s *Store) createPlaylist(ctx context.Context, owner Viewer, n NewPlaylist, source string) (Playlist, error) {
	name, err := playlistName(n.Name)
	if err != nil {
		return Playlist{}, err
	}
	encoded, err := encodeRules(n.Rules)
	if err != nil {
		return Playlist{}, err
	}
	if n.Rules != nil && len(n.SongIDs) > 0 {
		return Playlist{}, fault.New(fault.Invalid, "a playlist must have song_ids or rules, not both")
	}
	id := newID(playlistPrefix)
	err = s.change(ctx, durable, func(t *tx) error {
		t.addCount(playlistsOrder, 1)
		t.countTimed(nil, n.Rules)
		cover := GeneratedCover("playlist\x1f" + name)
		if err := t.putCovers(ctx, [][]any{cover.row()}); err != nil {
			return err
		}
		var num int64
		err := t.QueryRowContext(ctx, `INSERT INTO playlists (id, name, sort_key, description, owner, public, song_count,
			duration, cover, source, version, created_at, updated_at, rules)
			VALUES ($1, $2, $3, $4, $5, $6, 0, 0, $7, $8, 0, $9, $9, $10) RETURNING num`,
			id, name, words.SortKey(name), null(words.Clean(n.Description, longestDescription)),
			owner.num, boolInt(n.Public), cover.Hash, null(source), t.now, encoded).Scan(&num)
		if err != nil {
			return fmt.Errorf("insert playlist: %w", err)
		}
		if err := t.index(ctx, playlistSearch, nil, []indexed{{num, words.Tokens(name)}}); err != nil {
			return err
		}
		_, err = t.addEntries(ctx, num, n.SongIDs, appendEntries)
		return err
	})
	if err != nil {
		return Playlist{}, err
	}
	return s.Playlist(ctx, owner, id)
}

func playlistName(name string) (string, error) {
	if name = words.Clean(name, longestPlaylistName+1); name == "" || len([]rune(name)) > longestPlaylistName {
		return "", fault.New(fault.Invalid, "name must have 1 to %d characters", longestPlaylistName)
	}
	return name, nil
}

// DeletePlaylist deletes a playlist. Its id is never reused.
func (s *Store) DeletePlaylist(ctx context.Context, owner Viewer, id string) error {
	return s.change(ctx, durable, func(t *tx) error {
		p, err := t.ownPlaylist(ctx, owner, id)
		if err != nil {
			return err
		}
		t.addCount(playlistsOrder, 1)
		t.countTimed(p.Rules, nil)
		for _, statement := range []string{`DELETE FROM playlist_entries WHERE playlist = $1`,
			`DELETE FROM playlists WHERE num = $1`, `DELETE FROM playlist_search WHERE rowid = $1`,
			`DELETE FROM personal WHERE listener IN (SELECT num FROM users) AND kind = 4 AND item = $1`} {
			if _, err := t.ExecContext(ctx, statement, p.num); err != nil {
				return fmt.Errorf("delete playlist %s: %w", id, err)
			}
		}
		if _, err := t.ExecContext(ctx, `INSERT INTO tombstones (id, gone_at) VALUES ($1, $2)`, id, t.now); err != nil {
			return fmt.Errorf("record the deletion of playlist %s: %w", id, err)
		}
		return nil
	})
}

// ownPlaylist returns a playlist that the viewer may change, and locks it on PostgreSQL.
func (t *tx) ownPlaylist(ctx context.Context, owner Viewer, id string) (Playlist, error) {
	if isID(playlistPrefix, id) {
		if _, err := t.ExecContext(ctx, `UPDATE playlists SET updated_at = updated_at WHERE id = $1`, id); err != nil {
			return Playlist{}, fmt.Errorf("lock playlist %s: %w", id, err)
		}
	}
	p, err := readPlaylist(ctx, t, owner, id)
	if err == nil && p.owner != owner.num {
		return Playlist{}, fault.New(fault.Forbidden, "only the owner %s may change this playlist", p.Owner.Username)
	}
	return p, err
}

// editPlaylist changes one playlist and returns it.
func (s *Store) editPlaylist(
	ctx context.Context, owner Viewer, id string, f func(*tx, Playlist) error,
) (changed Playlist, err error) {
	err = s.change(ctx, durable, func(t *tx) error {
		p, err := t.ownPlaylist(ctx, owner, id)
		if err != nil {
			return err
		}
		if err := f(t, p); err != nil {
			return err
		}
		if _, err := t.ExecContext(ctx, `UPDATE playlists SET updated_at = $1 WHERE num = $2`, t.now, p.num); err != nil {
			return fmt.Errorf("change playlist %s: %w", id, err)
		}
		changed, err = readPlaylist(ctx, t, owner, id)
		return err
	})
	if err != nil {
		return changed, err
	}
	return changed, s.countSmart(ctx, &changed)
}

// PutImportedPlaylist creates or replaces the playlist of a file. source identifies the file,
// whatever the playlist's name.
func (s *Store) PutImportedPlaylist(
	ctx context.Context,
	owner Viewer,
	source string,
	n NewPlaylist,
) (Playlist, error) {
	source = shortKey(source)
	if source == "" {
		return Playlist{}, fault.New(fault.Invalid, "an imported playlist needs a source")
	}
	ids, err := collect(ctx, s.read, "look up an imported playlist", scanID,
		`SELECT id FROM playlists WHERE source = $1 AND owner = $2`, source, owner.num)
	if err != nil {
		return Playlist{}, s.d.explain(err)
	}
	if len(ids) == 0 {
		return s.createPlaylist(ctx, owner, n, source)
	}
	name, err := playlistName(n.Name)
	if err != nil {
		return Playlist{}, err
	}
	encoded, err := encodeRules(n.Rules)
	if err != nil {
		return Playlist{}, err
	}
	return s.editPlaylist(ctx, owner, ids[0], func(t *tx, p Playlist) error {
		t.addCount(playlistsOrder, 1)
		t.countTimed(p.Rules, n.Rules)
		_, err := t.ExecContext(ctx, `UPDATE playlists SET name = $1, sort_key = $2, rules = $3 WHERE num = $4`,
			name, words.SortKey(name), encoded, p.num)
		if err != nil {
			return fmt.Errorf("rename playlist %s: %w", p.ID, err)
		}
		if err := t.index(ctx, playlistSearch, []int64{p.num}, []indexed{{p.num, words.Tokens(name)}}); err != nil {
			return err
		}
		return t.replaceEntries(ctx, p, n.SongIDs)
	})
}

// PlaylistsByName returns the playlists of the viewer with an id, or with a name: those that differ
// in case only, else those with any spelling that folds to it.
func (s *Store) PlaylistsByName(ctx context.Context, v Viewer, idOrName string) ([]Playlist, error) {
	s = s.on(ctx)
	if isID(playlistPrefix, idOrName) {
		p, err := s.Playlist(ctx, v, idOrName)
		if kind, _ := fault.Of(err); err != nil && kind == fault.NotFound {
			return nil, nil
		}
		return []Playlist{p}, err
	}
	found, err := collect(ctx, s.read, "look up a playlist", scanPlaylist,
		`SELECT `+playlistColumns+` FROM playlists p JOIN users u ON u.num = p.owner
			WHERE p.owner = $1 AND p.sort_key = $2 ORDER BY p.id`, v.num, words.SortKey(idOrName))
	if err != nil {
		return nil, s.d.explain(err)
	}
	exact := slices.DeleteFunc(slices.Clone(found), func(p Playlist) bool { return !strings.EqualFold(p.Name, idOrName) })
	if len(exact) > 0 {
		found = exact
	}
	for i := range found {
		if err := s.countSmart(ctx, &found[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}
