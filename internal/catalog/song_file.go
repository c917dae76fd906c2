package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// SongFileInfo is what the catalog knows about the file of a song.
type SongFileInfo struct {
	Path   string // below its music folder; empty if no file is known
	Size   int64  // bytes
	Genres []string
	Details
}

// SongFileInfo returns what is known about the file of a song, available or not.
func (s *Store) SongFileInfo(ctx context.Context, id string) (SongFileInfo, error) {
	var info SongFileInfo
	var num int64
	var path []byte
	var size, rate, channels, depth sql.NullInt64
	var recording, track, album, artists sql.NullString
	err := s.read.QueryRowContext(ctx, `SELECT s.num, f.path, f.size, `+detailColumns+`
		FROM songs s LEFT JOIN files f ON f.song = s.num WHERE s.id = $1`, id).
		Scan(&num, &path, &size, &rate, &channels, &depth, &recording, &track, &album, &artists)
	if errors.Is(err, sql.ErrNoRows) {
		return info, notFound("song", id)
	}
	if err != nil {
		return info, s.d.explain(fmt.Errorf("read the file of %s: %w", id, err))
	}
	info.Path, info.Size = string(path), size.Int64
	info.SampleRate, info.Channels, info.BitDepth = int(rate.Int64), int(channels.Int64), int(depth.Int64)
	info.MusicBrainz = MusicBrainzIDs{Recording: recording.String, Track: track.String, Album: album.String}
	if artists.String != "" {
		info.MusicBrainz.Artists = strings.Split(artists.String, ",")
	}
	info.Genres, err = collect(ctx, s.read, "read the genres of a song",
		func(rows *sql.Rows) (name string, err error) { return name, rows.Scan(&name) },
		`SELECT g.name FROM song_genres x JOIN genres g ON g.num = x.genre WHERE x.song = $1 ORDER BY x.position`, num)
	return info, s.d.explain(err)
}
