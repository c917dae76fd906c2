package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"waxwing/internal/words"
)

// Artist is an artist that at least one song credits or credited.
type Artist struct {
	ID         string
	Username   string
	Name       string
	Bio        string // empty: unknown
	Cover      string // hash of the picture
	SongCount  int64  // available songs as main or featured artist
	AlbumCount int64  // albums as album artist with at least one available song
	PlayCount  int64
	CreatedAt  time.Time
	UpdatedAt  time.Time

	num int64
}

const artistColumns = `a.num, a.id, a.username, a.name, a.bio, a.cover, a.song_count, a.album_count, a.play_count,
	a.created_at, a.updated_at`

func scanArtist(rows *sql.Rows) (Artist, error) {
	var a Artist
	var bio sql.NullString
	var created, updated int64
	err := rows.Scan(&a.num, &a.ID, &a.Username, &a.Name, &bio, &a.Cover, &a.SongCount, &a.AlbumCount, &a.PlayCount,
		&created, &updated)
	a.Bio = bio.String
	a.CreatedAt, a.UpdatedAt = time.UnixMilli(created), time.UnixMilli(updated)
	return a, err
}

// Artist returns one artist by id, or by username ignoring case. An artist that was merged into
// another resolves to that one.
func (s *Store) Artist(ctx context.Context, usernameOrID string) (Artist, error) {
	s = s.on(ctx)
	column, value := "username", strings.ToLower(usernameOrID)
	if isID(artistPrefix, usernameOrID) {
		column, value = "id", usernameOrID
	} else if !isUsername(value) {
		return Artist{}, notFound("artist", usernameOrID)
	}
	found, err := collect(ctx, s.read, "read an artist", scanArtist,
		`SELECT `+artistColumns+` FROM artists a WHERE a.`+column+` = $1`, value)
	if err != nil {
		return Artist{}, s.d.explain(err)
	}
	if len(found) == 0 {
		return Artist{}, notFound("artist", usernameOrID)
	}
	if found[0].SongCount == 0 {
		if next, err := s.successor(ctx, found[0].ID); err != nil {
			return Artist{}, err
		} else if next != "" {
			return s.Artist(ctx, next)
		}
	}
	return found[0], nil
}

// Artists returns a page of the artists that have an available song, by sort name and id.
func (s *Store) Artists(ctx context.Context, page Page) (artists []Artist, total int64, err error) {
	s = s.on(ctx)
	return s.listArtists(ctx, "artists", "song_count > 0", page)
}

// ArtistQuery selects artists. Filters combine.
type ArtistQuery struct {
	OfAlbums bool   // without guests that have no album of their own
	Liked    Viewer // who likes the artists; zero: all artists
}

// ListArtists returns a page of the artists that a query selects, in the order of Artists.
func (s *Store) ListArtists(ctx context.Context, q ArtistQuery, page Page) (artists []Artist, total int64, err error) {
	s = s.on(ctx)
	name, where := "artists", "song_count > 0"
	if q.OfAlbums {
		name, where = "album artists", "album_count > 0"
	}
	if q.Liked == (Viewer{}) {
		return s.listArtists(ctx, name, where, page)
	}
	view := s.View()
	list := sortedList{
		table: "artists", where: where, version: view.artistsOrder,
		sort:    sortOrder{name: "name of " + name, keys: []string{"sort_key", "id"}},
		filters: []rowFilter{likedFilter(view, q.Liked, ArtistItem, "SELECT num FROM artists WHERE "+where)},
	}
	return sortedPage(ctx, s, list, page, "a", artistColumns, scanArtist, func(a Artist) int64 { return a.num })
}

func (s *Store) listArtists(
	ctx context.Context, name, where string, page Page,
) (artists []Artist, total int64, err error) {
	list := ordered{
		name: name, version: s.View().artistsOrder,
		table: "artists", where: where, keys: []string{"sort_key", "id"}, join: "JOIN artists a ON a.id = k.id",
	}
	return countedPage(ctx, s, list, page, artistColumns, scanArtist)
}

// SetArtistBio sets the biography of an artist; an empty text removes it.
func (s *Store) SetArtistBio(ctx context.Context, id, bio string) error {
	return s.change(ctx, durable, func(t *tx) error {
		done, err := t.ExecContext(ctx, `UPDATE artists SET bio = $1, updated_at = $2 WHERE id = $3`,
			null(words.Clean(bio, 4000)), t.now, id)
		return oneRow(done, err, "artist", id)
	})
}

// oneRow returns a NotFound fault if a statement changed no row.
func oneRow(done sql.Result, err error, noun, id string) error {
	if err != nil {
		return fmt.Errorf("change %s %s: %w", noun, id, err)
	}
	if n, err := done.RowsAffected(); err != nil {
		return fmt.Errorf("change %s %s: %w", noun, id, err)
	} else if n == 0 {
		return notFound(noun, id)
	}
	return nil
}
