package catalog

import (
	"context"
	"database/sql"
	"fmt"

	"waxwing/internal/words"
)

// ArtistTopSongs returns the available songs of an artist that a user played most, then those that
// all users did.
func (s *Store) ArtistTopSongs(ctx context.Context, v Viewer, a Artist, limit int64) ([]FullSong, error) {
	s = s.on(ctx)
	s.sumPlays(ctx)
	return s.fullSongsBy(ctx, v, "list the top songs of an artist", fmt.Sprintf(`SELECT x.song AS n FROM
		(SELECT DISTINCT song FROM song_artists WHERE artist = $1 AND listed = 1) x JOIN songs s ON s.num = x.song
		LEFT JOIN personal m ON m.listener = $2 AND m.kind = 1 AND m.item = x.song
		ORDER BY coalesce(m.play_count, 0) DESC, s.play_count DESC, x.song LIMIT %d`, max(0, limit)), a.num, v.num)
}

// ArtistByName returns the artist with a name in any spelling, the one with the most songs if there
// are several.
func (s *Store) ArtistByName(ctx context.Context, name string) (Artist, error) {
	s = s.on(ctx)
	found, err := collect(ctx, s.read, "find an artist by name", scanArtist, `SELECT `+artistColumns+` FROM artists a
		WHERE a.name_key = $1 AND a.song_count > 0 ORDER BY a.song_count DESC, a.num LIMIT 1`, words.Key(name))
	if err != nil {
		return Artist{}, s.d.explain(err)
	}
	if len(found) == 0 {
		return Artist{}, notFound("artist", name)
	}
	return found[0], nil
}

// SongByTitle returns the id of an available song with a title by an artist, in any spelling.
func (s *Store) SongByTitle(ctx context.Context, artist, title string) (id string, err error) {
	s = s.on(ctx)
	a, err := s.ArtistByName(ctx, artist)
	if err != nil {
		return "", err
	}
	ids, err := collect(ctx, s.read, "find a song by title", scanID, `SELECT s.id FROM song_artists x
		JOIN songs s ON s.num = x.song JOIN song_texts t ON t.song = x.song
		WHERE x.artist = $1 AND x.listed = 1 AND t.title = $2 ORDER BY s.num LIMIT 1`, a.num, words.Key(title))
	if err != nil {
		return "", s.d.explain(err)
	}
	if len(ids) == 0 {
		return "", notFound("song", title)
	}
	return ids[0], nil
}

func scanID(rows *sql.Rows) (id string, err error) { return id, rows.Scan(&id) }
