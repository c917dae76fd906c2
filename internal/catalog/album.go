package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
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
	MusicBrainz string // release id; empty: unknown
	Cover       string // hash
	SongCount   int64  // available songs
	Duration    int64  // of these, milliseconds
	CreatedAt   time.Time
	UpdatedAt   time.Time

	num int64
}

// albumColumns are the columns of table b as one text, which scanAlbum parses: see song_packed.go.
// An album whose tags have a MusicBrainz id has it as its key.
const albumColumns = `concat_ws('` + partSeparator + `', b.id, b.title, b.artist, b.artists, b.cover,
	CASE WHEN b.album_key LIKE '________-____-____-____-____________' THEN b.album_key ELSE '' END, b.num,
	coalesce(b.year, 0), b.compilation, b.song_count, b.duration, b.created_at, b.updated_at)`

func scanAlbum(rows *sql.Rows) (Album, error) {
	var packed string
	if err := rows.Scan(&packed); err != nil {
		return Album{}, err
	}
	return unpackAlbum(packed)
}

// unpackAlbum parses the value of albumColumns.
func unpackAlbum(packed string) (b Album, err error) {
	var artists string
	for _, into := range []*string{&b.ID, &b.Title, &b.Artist, &artists, &b.Cover, &b.MusicBrainz} {
		*into, packed, _ = cutPart(packed)
	}
	var year, compilation, created, updated int64
	for _, into := range []*int64{&b.num, &year, &compilation, &b.SongCount, &b.Duration, &created, &updated} {
		var part string
		part, packed, _ = cutPart(packed)
		if *into, err = strconv.ParseInt(part, 10, 64); err != nil {
			return b, fmt.Errorf("unpack an album: %w", err)
		}
	}
	if b.Artists, err = decodeArtists(artists); err != nil {
		return b, fmt.Errorf("decode the artists of %s: %w", b.ID, err)
	}
	b.Year, b.Compilation = int(year), compilation != 0
	b.CreatedAt, b.UpdatedAt = time.UnixMilli(created), time.UnixMilli(updated)
	return b, nil
}

// Album returns one album. An album that was merged into another resolves to that one.
func (s *Store) Album(ctx context.Context, id string) (Album, error) {
	s = s.on(ctx)
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
	s = s.on(ctx)
	list := ordered{
		name: "albums", version: s.View().albumsOrder,
		table: "albums", where: "song_count > 0", keys: []string{"sort_key", "id"}, join: "JOIN albums b ON b.id = k.id",
	}
	return countedPage(ctx, s, list, page, albumColumns, scanAlbum)
}
