package catalog

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// Album is a release that at least one song is or was on.
type Album struct {
	ID          string
	Title       string
	Artist      string // credit line; empty: unknown
	Artists     []ArtistRef
	Year        int // 0: unknown
	Compilation bool
	Cover       string // hash
	SongCount   int64  // available songs
	Duration    int64  // of these, milliseconds
	CreatedAt   time.Time
	UpdatedAt   time.Time

	num int64
}

const albumColumns = `b.num, b.id, b.title, b.artist, b.artists, b.year, b.compilation, b.cover, b.song_count,
	b.duration, b.created_at, b.updated_at`

func scanAlbum(rows *sql.Rows) (Album, error) {
	var b Album
	var artists []byte
	var year sql.NullInt64
	var created, updated int64
	err := rows.Scan(&b.num, &b.ID, &b.Title, &b.Artist, &artists, &year, &b.Compilation, &b.Cover, &b.SongCount,
		&b.Duration, &created, &updated)
	if err != nil {
		return b, err
	}
	if err := json.Unmarshal(artists, &b.Artists); err != nil {
		return b, fmt.Errorf("decode the artists of %s: %w", b.ID, err)
	}
	b.Year = int(year.Int64)
	b.CreatedAt, b.UpdatedAt = time.UnixMilli(created), time.UnixMilli(updated)
	return b, nil
}

// Album returns one album. An album that was merged into another resolves to that one.
func (s *Store) Album(ctx context.Context, id string) (Album, error) {
	if !isID(albumPrefix, id) {
		return Album{}, notFound("album", id)
	}
	found, err := collect(ctx, s.read, "read an album", scanAlbum,
		`SELECT `+albumColumns+` FROM albums b WHERE b.id = $1`, id)
	if err != nil {
		return Album{}, s.d.explain(err)
	}
	if len(found) == 0 {
		return Album{}, notFound("album", id)
	}
	if found[0].SongCount == 0 {
		if next, err := s.successor(ctx, id); err != nil {
			return Album{}, err
		} else if next != "" {
			return s.Album(ctx, next)
		}
	}
	return found[0], nil
}

// Albums returns a page of the albums that have an available song, by title and id.
func (s *Store) Albums(ctx context.Context, page Page) (albums []Album, total int64, err error) {
	list := ordered{
		name: "albums", version: s.View().albumsOrder,
		table: "albums", where: "song_count > 0", keys: []string{"sort_key", "id"}, join: "JOIN albums b ON b.id = k.id",
	}
	return countedPage(ctx, s, list, page, albumColumns, scanAlbum)
}
