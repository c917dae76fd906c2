package catalog

import (
	"context"
	"database/sql"
	"strings"
	"time"
)

// SongFileInfo is what the catalog knows about the file of a song, and of its tags beyond
// SongFacts.
type SongFileInfo struct {
	Path        string // below its music folder; empty if no file is known
	Size        int64  // bytes
	ModTime     time.Time
	AlbumArtist string // empty: unknown
	Picture     bool   // the cover is a real picture, not a generated one
	Genres      []string
	Details
}

// SongFileInfo returns what is known about the file of a song, available or not.
func (s *Store) SongFileInfo(ctx context.Context, id string) (SongFileInfo, error) {
	s = s.on(ctx)
	song, err := s.songBy(ctx, songColumns, id)
	if err != nil {
		return SongFileInfo{}, err
	}
	found, err := s.SongFileInfos(ctx, []Song{song})
	if err != nil {
		return SongFileInfo{}, err
	}
	return found[0], nil
}

// SongFileInfos is SongFileInfo for the songs of ListSongs with a sort.
func (s *Store) SongFileInfos(ctx context.Context, songs []Song) ([]SongFileInfo, error) {
	s = s.on(ctx)
	nums := make([]int64, len(songs))
	for i, song := range songs {
		nums[i] = song.num
	}
	list := s.d.list(nums)
	infos := make(map[int64]*SongFileInfo, len(songs))
	_, err := collect(ctx, s.prepared, "read the files of songs", func(rows *sql.Rows) (none struct{}, err error) {
		num, info, err := scanFileInfo(rows)
		if infos[num] == nil { // the first of several files
			infos[num] = &info
		}
		return none, err
	}, `SELECT s.num, f.path, f.size, f.mtime, b.artist, c.source, `+detailColumns+`
		FROM songs s LEFT JOIN files f ON f.song = s.num LEFT JOIN albums b ON b.num = s.album
		LEFT JOIN covers c ON c.hash = s.cover
		WHERE `+s.d.among("s.num")+` ORDER BY s.num, f.missing, f.root, f.path`, list)
	if err != nil {
		return nil, s.d.explain(err)
	}
	_, err = collect(ctx, s.prepared, "read the genres of songs", func(rows *sql.Rows) (none struct{}, err error) {
		var num int64
		var name string
		err = rows.Scan(&num, &name)
		if info := infos[num]; info != nil {
			info.Genres = append(info.Genres, name)
		}
		return none, err
	}, `SELECT x.song, g.name FROM song_genres x JOIN genres g ON g.num = x.genre
		WHERE `+s.d.among("x.song")+` ORDER BY x.song, x.position`, list)
	if err != nil {
		return nil, s.d.explain(err)
	}
	found := make([]SongFileInfo, len(songs))
	for i, num := range nums {
		if info := infos[num]; info != nil { // nil: removed meanwhile
			found[i] = *info
		}
		if found[i].Genres == nil {
			found[i].Genres = []string{}
		}
	}
	return found, nil
}

func scanFileInfo(rows *sql.Rows) (num int64, info SongFileInfo, err error) {
	var path []byte
	var size, changed, rate, channels, depth sql.NullInt64
	var albumArtist, source, recording, track, album, artists, albumArtists, released, composers sql.NullString
	err = rows.Scan(&num, &path, &size, &changed, &albumArtist, &source,
		&rate, &channels, &depth, &recording, &track, &album, &artists, &albumArtists, &released, &composers)
	info.Path, info.Size, info.AlbumArtist = string(path), size.Int64, albumArtist.String
	info.Picture = source.Valid && CoverSource(source.String) != CoverGenerated
	if changed.Valid {
		info.ModTime = time.UnixMicro(changed.Int64)
	}
	info.SampleRate, info.Channels, info.BitDepth = int(rate.Int64), int(channels.Int64), int(depth.Int64)
	info.MusicBrainz = MusicBrainzIDs{Recording: recording.String, Track: track.String, Album: album.String}
	info.MusicBrainz.Artists = splitList(artists.String, ",")
	info.MusicBrainz.AlbumArtists = splitList(albumArtists.String, ",")
	info.Released, info.Composers = released.String, splitList(composers.String, "\n")
	return num, info, err
}

// splitList returns the values of a list in a column; nil if there are none.
func splitList(list, separator string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, separator)
}

// contentTypes maps formats to the content types that players expect.
var contentTypes = map[string]string{
	"mp3": "audio/mpeg", "mp2": "audio/mpeg", "mp1": "audio/mpeg", "flac": "audio/flac",
	"vorbis": "audio/ogg", "opus": "audio/ogg", "ogg": "audio/ogg",
	"aac": "audio/mp4", "alac": "audio/mp4", "mp4": "audio/mp4", "adts": "audio/aac",
	"wav": "audio/wav", "aiff": "audio/aiff",
}

// containerTypes maps the extensions of files to the content types of containers for several
// formats.
var containerTypes = map[string]string{
	".mka": "audio/x-matroska", ".webm": "audio/webm", ".m4a": "audio/mp4", ".mp4": "audio/mp4",
}

// ContentType returns the content type of a file by the format of its audio and its extension.
func ContentType(format, extension string) string {
	if found, ok := containerTypes[strings.ToLower(extension)]; ok {
		return found
	}
	if found, ok := contentTypes[format]; ok {
		return found
	}
	return "application/octet-stream"
}
