package catalog

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Song is a row of the list of songs.
type Song struct {
	ID string
	// Facts is SongFacts as JSON, which is sent unchanged.
	Facts     string
	Cover     string // hash
	Format    string
	Bitrate   int // kbit/s; 0: unknown
	Available bool
	PlayCount int64
	CreatedAt time.Time
	UpdatedAt time.Time

	num int64 // 0 in Songs and Song
}

// SongFacts is the content of a song's tags, with the fields and order of the API.
type SongFacts struct {
	Title       string      `json:"title"`
	Artist      *string     `json:"artist"`
	ArtistID    *string     `json:"artist_id"`
	Artists     []ArtistRef `json:"artists"`
	Album       *string     `json:"album"`
	AlbumID     *string     `json:"album_id"`
	TrackNumber *int        `json:"track_number"`
	DiscNumber  *int        `json:"disc_number"`
	Duration    int64       `json:"duration"` // milliseconds
	Year        *int        `json:"year"`
	Genre       *string     `json:"genre"`
	Explicit    *bool       `json:"explicit"`
}

// ArtistRef is an artist inside another object.
type ArtistRef struct {
	ID       string `json:"id"`
	Username string `json:"username"`
	Name     string `json:"name"`
}

// Decode decodes the facts.
func (s Song) Decode() (SongFacts, error) {
	var facts SongFacts
	if err := json.Unmarshal([]byte(s.Facts), &facts); err != nil {
		return facts, fmt.Errorf("decode the facts of %s: %w", s.ID, err)
	}
	return facts, nil
}

// encode returns v as JSON without HTML escapes.
func encode(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("encode: %w", err)
	}
	return string(bytes.TrimRight(b.Bytes(), "\n")), nil
}

// Song returns one song, available or not.
func (s *Store) Song(ctx context.Context, id string) (Song, error) {
	s = s.on(ctx)
	if !isID(songPrefix, id) {
		return Song{}, notFound("song", id)
	}
	return s.songBy(ctx, publicSong, id)
}

func (s *Store) songBy(ctx context.Context, columns, id string) (Song, error) {
	found, err := collect(ctx, s.prepared, "read a song", scanOneSong,
		`SELECT `+columns+` FROM songs s WHERE s.id = $1`, id)
	if err != nil {
		return Song{}, s.d.explain(err)
	}
	if len(found) == 0 {
		return Song{}, notFound("song", id)
	}
	return found[0], nil
}

// SongGain returns the ReplayGain values of a song's tags.
func (s *Store) SongGain(ctx context.Context, id string) (ReplayGain, error) {
	s = s.on(ctx)
	var g ReplayGain
	err := s.prepared.QueryRowContext(ctx, `SELECT track_gain, track_peak, album_gain, album_peak FROM songs
		WHERE id = $1`, id).
		Scan(&g.TrackGain, &g.TrackPeak, &g.AlbumGain, &g.AlbumPeak)
	if errors.Is(err, sql.ErrNoRows) {
		return ReplayGain{}, notFound("song", id)
	}
	if err != nil {
		return ReplayGain{}, s.d.explain(fmt.Errorf("read the gain of %s: %w", id, err))
	}
	return g, nil
}

// Songs returns a page of all available songs, ordered by created_at and id. New songs are at the
// end, so that a client that reads all pages during a scan gets every song once.
func (s *Store) Songs(ctx context.Context, page Page) (songs []Song, total int64, err error) {
	s = s.on(ctx)
	return s.songPage(ctx, publicSong, page)
}

func (s *Store) songPage(ctx context.Context, columns string, page Page) (songs []Song, total int64, err error) {
	r, err := s.rangeOf(ctx, page)
	if err != nil || r.limit == 0 {
		return []Song{}, r.total, s.d.explain(err)
	}
	songs, err = collectSongs(ctx, s.prepared, "list songs", columns, inSongRange, r.first, r.limit)
	return songs, r.total, s.d.explain(err)
}

// inSongRange selects the songs of a pageRange, whose first and limit are $1 and $2. SQLite
// prepares a statement again for every value of a limit, except in an expression. The sign hides
// from it an index of available songs, which it would search before each row.
const inSongRange = `WHERE s.num >= $1 AND +s.available = 1 ORDER BY s.num LIMIT CAST($2 AS BIGINT)`

// pageRange is where a page of all available songs is: the numbers of its first and last song.
type pageRange struct {
	first, last  int64
	limit, total int64 // a limit of 0 means no songs
}

// rangeOf returns the range of a page.
func (s *Store) rangeOf(ctx context.Context, page Page) (pageRange, error) {
	view := s.View()
	r := pageRange{total: view.Songs}
	limit := min(page.Limit, view.Songs-page.offset())
	if limit <= 0 || page.Number < 1 {
		return r, nil
	}
	gone, err := s.unavailable.at(ctx, s, view.songsOrder)
	if err != nil {
		return pageRange{}, err
	}
	r.first, r.last, r.limit = gone.num(page.offset()), gone.num(page.offset()+limit-1), limit
	return r, nil
}

// AlbumSongs returns a page of an album's available songs by disc, track and id.
func (s *Store) AlbumSongs(ctx context.Context, album string, page Page) (songs []Song, total int64, err error) {
	s = s.on(ctx)
	a, err := s.Album(ctx, album)
	if err != nil {
		return nil, 0, err
	}
	list := ordered{
		name: "album songs", scope: a.num, version: s.View().Revision,
		table: "songs", where: "album = $1 AND available = 1", args: []any{a.num},
		keys: []string{"disc", "track", "id"}, join: "JOIN songs s ON s.id = k.id",
	}
	songs, err = pageOf(ctx, s, list, page, a.SongCount, songColumns, scanOneSong)
	return songs, a.SongCount, err
}

// ArtistSongs returns a page of an artist's available songs by year, album, disc and track.
func (s *Store) ArtistSongs(
	ctx context.Context, usernameOrID string, page Page,
) (songs []Song, total int64, err error) {
	s = s.on(ctx)
	a, err := s.Artist(ctx, usernameOrID)
	if err != nil {
		return nil, 0, err
	}
	list := ordered{
		name: "artist songs", scope: a.num, version: s.View().Revision,
		table: "song_artists", where: "artist = $1 AND listed = 1", args: []any{a.num},
		keys: []string{"shelf", "song"}, join: "JOIN songs s ON s.num = k.song",
	}
	songs, err = pageOf(ctx, s, list, page, a.SongCount, songColumns, scanOneSong)
	return songs, a.SongCount, err
}

// Trending returns the songs with the most plays, weighted with a half-life of 72 hours, followed
// by the newest songs if too few were played.
func (s *Store) Trending(ctx context.Context, limit int64) ([]Song, error) {
	s = s.on(ctx)
	return s.trending(ctx, publicSong, limit)
}

func (s *Store) trending(ctx context.Context, columns string, limit int64) ([]Song, error) {
	hot, err := collectSongs(ctx, s.prepared, "list trending songs", columns,
		`WHERE s.available = 1 AND s.heat IS NOT NULL ORDER BY s.heat DESC, s.num DESC LIMIT CAST($1 AS BIGINT)`, limit)
	if err != nil || int64(len(hot)) >= limit {
		return hot, s.d.explain(err)
	}
	newest, err := collectSongs(ctx, s.prepared, "list newest songs", columns,
		`WHERE s.available = 1 AND s.heat IS NULL ORDER BY s.num DESC LIMIT CAST($1 AS BIGINT)`, limit-int64(len(hot)))
	return append(hot, newest...), s.d.explain(err)
}

// SongFile returns the file and format of an available song.
func (s *Store) SongFile(ctx context.Context, id string) (file FileRef, format string, err error) {
	if !isID(songPrefix, id) {
		return FileRef{}, "", notFound("song", id)
	}
	var root, path []byte
	err = s.read.QueryRowContext(ctx,
		`SELECT r.name, f.path, s.format FROM songs s JOIN files f ON f.song = s.num JOIN roots r ON r.num = f.root
		 WHERE s.id = $1 AND s.available = 1`, id).Scan(&root, &path, &format)
	if errors.Is(err, sql.ErrNoRows) {
		if _, err := s.Song(ctx, id); err != nil {
			return FileRef{}, "", err
		}
		return FileRef{}, "", notFound("file for song", id)
	}
	if err != nil {
		return FileRef{}, "", s.d.explain(fmt.Errorf("read the file of %s: %w", id, err))
	}
	return FileRef{Root: string(root), Path: string(path)}, format, nil
}
