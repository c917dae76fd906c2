package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// SetLiked likes or unlikes songs, albums, artists and playlists by their ids: all of them, or none
// if an id is unknown. What is liked already keeps its time.
func (s *Store) SetLiked(ctx context.Context, v Viewer, liked bool, ids ...string) error {
	return s.changeItems(ctx, v, ids, func(t *tx, item itemRef) (sql.Result, error) {
		if !liked {
			return t.ExecContext(ctx, `UPDATE personal SET liked_at = NULL WHERE listener = $1 AND kind = $2 AND item = $3
				AND liked_at IS NOT NULL`, v.num, int64(item.kind), item.num)
		}
		return t.ExecContext(ctx, `INSERT INTO personal (listener, kind, item, liked_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (listener, kind, item) DO UPDATE SET liked_at = excluded.liked_at WHERE personal.liked_at IS NULL`,
			v.num, int64(item.kind), item.num, t.now)
	})
}

// SetRating rates songs, albums, artists and playlists from 1 to 5; 0 removes the rating. It
// changes all of them, or none if an id is unknown.
func (s *Store) SetRating(ctx context.Context, v Viewer, rating int, ids ...string) error {
	if err := checkRating(rating); err != nil {
		return err
	}
	return s.changeItems(ctx, v, ids, func(t *tx, item itemRef) (sql.Result, error) {
		if rating == 0 {
			return t.ExecContext(ctx, `UPDATE personal SET rating = NULL, rated_at = NULL
				WHERE listener = $1 AND kind = $2 AND item = $3 AND rating IS NOT NULL`, v.num, int64(item.kind), item.num)
		}
		return t.ExecContext(ctx, `INSERT INTO personal (listener, kind, item, rating, rated_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (listener, kind, item) DO UPDATE SET rating = excluded.rating, rated_at = excluded.rated_at
			WHERE personal.rating IS NULL OR personal.rating <> excluded.rating`,
			v.num, int64(item.kind), item.num, rating, t.now)
	})
}

// changeItems runs a statement for the item of every id, and removes rows without values.
func (s *Store) changeItems(
	ctx context.Context, v Viewer, ids []string, set func(*tx, itemRef) (sql.Result, error),
) error {
	return s.changePersonal(ctx, v, func(t *tx) (changed bool, err error) {
		for _, id := range ids {
			item, err := findItem(ctx, t, v, id)
			if err != nil {
				return false, err
			}
			done, err := set(t, item)
			if err != nil {
				return false, fmt.Errorf("change what a user thinks of %s: %w", id, err)
			}
			n, err := done.RowsAffected()
			if err != nil {
				return false, fmt.Errorf("change what a user thinks of %s: %w", id, err)
			}
			changed = changed || n > 0
			if err := t.removeEmpty(ctx, v, `kind = $2 AND item = $3`, int64(item.kind), item.num); err != nil {
				return false, err
			}
		}
		return changed, nil
	})
}

// removeEmpty deletes the rows of a user that have no value. The parameters of where begin at $2.
func (t *tx) removeEmpty(ctx context.Context, v Viewer, where string, args ...any) error {
	_, err := t.ExecContext(ctx, `DELETE FROM personal WHERE listener = $1 AND `+where+` AND liked_at IS NULL
		AND rating IS NULL AND play_count = 0 AND last_played_at IS NULL`, append([]any{v.num}, args...)...)
	if err != nil {
		return fmt.Errorf("remove personal data without values: %w", err)
	}
	return nil
}

// LikedSongs returns a page of the songs that a user likes, newest like first. Unavailable ones are
// included.
func (s *Store) LikedSongs(ctx context.Context, v Viewer, page Page) ([]Rated[Song], int64, error) {
	s = s.on(ctx)
	list := personalList(s.View(), v, SongItem, "liked songs", "liked_at", "")
	list.join = "JOIN songs s ON s.num = k.item"
	return likedPage(ctx, s, v, list, page, songColumns, scanOneSong)
}

// LikedAlbums returns a page of the albums that a user likes, newest like first.
func (s *Store) LikedAlbums(ctx context.Context, v Viewer, page Page) ([]Rated[Album], int64, error) {
	s = s.on(ctx)
	list := personalList(s.View(), v, AlbumItem, "liked albums", "liked_at", "")
	list.join = "JOIN albums b ON b.num = k.item"
	return likedPage(ctx, s, v, list, page, albumColumns, scanAlbum)
}

// LikedArtists returns a page of the artists that a user likes, newest like first.
func (s *Store) LikedArtists(ctx context.Context, v Viewer, page Page) ([]Rated[Artist], int64, error) {
	s = s.on(ctx)
	list := personalList(s.View(), v, ArtistItem, "liked artists", "liked_at", "")
	list.join = "JOIN artists a ON a.num = k.item"
	return likedPage(ctx, s, v, list, page, artistColumns, scanArtist)
}

// LikedPlaylists returns a page of the playlists that a user likes and may see, newest like first.
func (s *Store) LikedPlaylists(ctx context.Context, v Viewer, page Page) ([]Rated[Playlist], int64, error) {
	s = s.on(ctx)
	list := personalList(s.View(), v, PlaylistItem, "liked playlists", "liked_at",
		"item IN (SELECT num FROM playlists WHERE public = 1 OR owner = $1)")
	list.version += s.View().playlistsOrder // others may change who sees a playlist
	list.join = "JOIN playlists p ON p.num = k.item JOIN users u ON u.num = p.owner"
	likes, total, err := likedPage(ctx, s, v, list, page, playlistColumns, scanPlaylist)
	for i := range likes {
		if err == nil {
			err = s.countSmart(ctx, &likes[i].Row)
		}
	}
	return likes, total, err
}

// PlaylistsLiked is Playlists with only those that the viewer likes.
func (s *Store) PlaylistsLiked(ctx context.Context, v Viewer, page Page) ([]Playlist, int64, error) {
	s = s.on(ctx)
	return s.playlistPage(ctx, page, ordered{
		name: "playlists that a user likes", scope: v.num, version: s.View().PersonalVersion(v), args: []any{v.num},
		where: `(public = 1 OR owner = $1) AND num IN (SELECT item FROM personal
			WHERE listener = $1 AND kind = 4 AND liked_at IS NOT NULL)`,
	})
}

// personalList is the list of a user's items of one kind with a value in column by, the greatest
// first. also is a further condition, or "".
func personalList(view View, v Viewer, kind ItemKind, name, by, also string) ordered {
	where := fmt.Sprintf("listener = $1 AND kind = %d AND %s", kind, personalConditions[by])
	if also != "" {
		where += " AND " + also
	}
	return ordered{
		name: name, scope: v.num, version: view.PersonalVersion(v), table: "personal",
		where: where, args: []any{v.num}, keys: []string{by, "item"}, descending: true,
	}
}

// personalConditions are the conditions of the indexes of the table personal.
var personalConditions = map[string]string{
	"liked_at": "liked_at IS NOT NULL", "rating": "rating IS NOT NULL", "play_count": "play_count > 0",
	"last_played_at": "last_played_at IS NOT NULL",
}

// likedPage reads a page of likes. It leaves out what is no longer liked by the time of reading.
func likedPage[T Item](
	ctx context.Context, s *Store, v Viewer, list ordered, page Page, columns string, scan func(*sql.Rows) (T, error),
) (likes []Rated[T], total int64, err error) {
	rows, total, err := countedPage(ctx, s, list, page, columns, scan)
	if err != nil {
		return nil, 0, err
	}
	likes, err = Rate(ctx, s, v, rows)
	return slices.DeleteFunc(likes, func(r Rated[T]) bool { return r.LikedAt.IsZero() }), total, err
}
