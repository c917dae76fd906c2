package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Genre is a genre of at least one available song.
type Genre struct {
	Name       string
	SongCount  int64
	AlbumCount int64 // albums with such a song
}

// Genres returns a page of the genres, by name.
func (s *Store) Genres(ctx context.Context, page Page) (genres []Genre, total int64, err error) {
	s = s.on(ctx)
	list := ordered{
		name: "genres", version: s.View().songsChanged,
		table: "genres", where: "song_count > 0", keys: []string{"sort_key", "num"}, join: "JOIN genres g ON g.num = k.num",
	}
	return countedPage(ctx, s, list, page, "g.name, g.song_count, g.album_count",
		func(rows *sql.Rows) (g Genre, err error) { return g, rows.Scan(&g.Name, &g.SongCount, &g.AlbumCount) })
}

// Genre returns a genre by any spelling of its name.
func (s *Store) Genre(ctx context.Context, name string) (g Genre, err error) {
	s = s.on(ctx)
	err = s.read.QueryRowContext(ctx, `SELECT name, song_count, album_count FROM genres
		WHERE name_key = $1 AND song_count > 0`, genreKey(name)).Scan(&g.Name, &g.SongCount, &g.AlbumCount)
	if errors.Is(err, sql.ErrNoRows) {
		return Genre{}, notFound("genre", name)
	}
	if err != nil {
		return Genre{}, s.d.explain(fmt.Errorf("read a genre: %w", err))
	}
	return g, nil
}

// genreNum returns the number of a genre, 0 for an unknown one.
func (s *Store) genreNum(ctx context.Context, name string) (num int64, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT num FROM genres WHERE name_key = $1`, genreKey(name)).Scan(&num)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, s.d.explain(fmt.Errorf("look up a genre: %w", err))
	}
	return num, nil
}
