package cataloghttp

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"waxwing/api/catalogapi"
	"waxwing/api/timestamp"
	"waxwing/internal/catalog"
)

// appendSong appends the JSON of a song. The facts are sent as they are stored; a test compares
// the result with catalogapi.Song.
func appendSong(b []byte, to links, s catalog.Song) []byte {
	b = append(b, `{"id":"`...)
	b = append(b, s.ID...)
	b = append(b, `",`...)
	b = append(b, s.Facts[1:len(s.Facts)-1]...)
	b = append(b, `,"cover_url":"`...)
	cover := len(b)
	b = to.appendCover(b, s.Cover)
	end := len(b)
	b = append(b, `","thumbnail_url":"`...)
	b = append(b, b[cover:end]...)
	b = append(b, thumbnail...)
	b = append(b, `","stream_url":"`...)
	b = append(b, to.base...)
	b = append(b, `/api/songs/`...)
	b = append(b, s.ID...)
	b = append(b, `/stream","format":`...)
	b = appendString(b, s.Format)
	b = append(b, `,"bitrate":`...)
	if s.Bitrate == 0 {
		b = append(b, `null`...)
	} else {
		b = strconv.AppendInt(b, int64(s.Bitrate), 10)
	}
	b = append(b, `,"play_count":`...)
	b = strconv.AppendInt(b, s.PlayCount, 10)
	b = append(b, `,"available":`...)
	b = strconv.AppendBool(b, s.Available)
	b = append(b, `,"created_at":`...)
	created := len(b)
	b = timestamp.At(s.CreatedAt).AppendFormat(b)
	changed := len(b)
	b = append(b, `,"updated_at":`...)
	if s.UpdatedAt.Equal(s.CreatedAt) { // true for most songs
		b = append(b, b[created:changed]...)
	} else {
		b = timestamp.At(s.UpdatedAt).AppendFormat(b)
	}
	return append(b, '}')
}

// thumbnail is the query of a thumbnail_url.
const thumbnail = "?size=300"

// appendString appends s as a JSON string.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(s) // encoding a string does not fail
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// appendSongs appends a list of songs, with what a user did with each unless mine is nil.
func appendSongs(b []byte, to links, songs []catalog.Song, mine []catalog.Personal) []byte {
	b = append(b, `{"songs":[`...)
	for i, s := range songs {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendSong(b, to, s)
		if mine != nil {
			b = appendMe(b, mine[i])
		}
	}
	return append(b, ']')
}

// appendPage appends the page, limit and total of a list, and closes its object.
func appendPage(b []byte, page catalog.Page, total int64) []byte {
	b = append(b, `,"page":`...)
	b = strconv.AppendInt(b, page.Number, 10)
	b = append(b, `,"limit":`...)
	b = strconv.AppendInt(b, page.Limit, 10)
	b = append(b, `,"total":`...)
	b = strconv.AppendInt(b, total, 10)
	return append(b, "}\n"...)
}

func (s *server) songs(ctx context.Context, a readRequest) ([]byte, int64, error) {
	query := a.list.songs(a.viewer)
	if a.file {
		return s.songsWithFiles(ctx, a, query)
	}
	if a.me && query == (catalog.SongQuery{}) {
		rated, total, err := s.store.SongsFor(ctx, a.viewer, a.page)
		songs, mine := unrate(rated)
		return songPage(a, songs, mine, total, err)
	}
	songs, total, err := s.store.ListSongs(ctx, query, a.page)
	return s.songPage(ctx, a, songs, total, err)
}

// songsWithFiles encodes each song with what is known about its file.
func (s *server) songsWithFiles(ctx context.Context, a readRequest, query catalog.SongQuery) ([]byte, int64, error) {
	if query == (catalog.SongQuery{}) {
		query.Sort, query.Order = "added", catalog.Ascending // the same order
	}
	songs, total, err := s.store.ListSongs(ctx, query, a.page)
	if err != nil {
		return nil, 0, err
	}
	files, err := s.store.SongFileInfos(ctx, songs)
	if err != nil {
		return nil, 0, err
	}
	mine, err := mine(ctx, s, a, songs)
	if err != nil {
		return nil, 0, err
	}
	b := append(a.buf, `{"songs":[`...)
	for i, song := range songs {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendSong(b, a.links, song)
		if mine != nil {
			b = appendMe(b, mine[i])
		}
		if b, err = appendMember(b[:len(b)-1], withFile, wireFile(files[i])); err != nil {
			return nil, 0, err
		}
		b = append(b, '}')
	}
	return appendPage(append(b, ']'), a.page, total), total, nil
}

func (s *server) artistSongs(ctx context.Context, a readRequest) ([]byte, int64, error) {
	songs, total, err := s.store.ArtistSongs(ctx, a.PathValue("username_or_id"), a.page)
	return s.songPage(ctx, a, songs, total, err)
}

func (s *server) albumSongs(ctx context.Context, a readRequest) ([]byte, int64, error) {
	songs, total, err := s.store.AlbumSongs(ctx, a.PathValue("album_id"), a.page)
	return s.songPage(ctx, a, songs, total, err)
}

// songPage encodes songs with what the viewer did with each, if the request wants it.
func (s *server) songPage(
	ctx context.Context, a readRequest, songs []catalog.Song, total int64, err error,
) ([]byte, int64, error) {
	if err != nil {
		return nil, 0, err
	}
	mine, err := mine(ctx, s, a, songs)
	return songPage(a, songs, mine, total, err)
}

func songPage(
	a readRequest, songs []catalog.Song, mine []catalog.Personal, total int64, err error,
) ([]byte, int64, error) {
	if err != nil {
		return nil, 0, err
	}
	b := appendSongs(a.buf, a.links, songs, mine)
	return appendPage(b, a.page, total), total, nil
}

func (s *server) trending(ctx context.Context, a readRequest) ([]byte, int64, error) {
	var songs []catalog.Song
	var mine []catalog.Personal
	var err error
	if a.me {
		var rated []catalog.Rated[catalog.Song]
		rated, err = s.store.TrendingFor(ctx, a.viewer, a.page.Limit)
		songs, mine = unrate(rated)
	} else {
		songs, err = s.store.Trending(ctx, a.page.Limit)
	}
	if err != nil {
		return nil, 0, err
	}
	return limited(a, songs, mine), int64(len(songs)), nil
}

func (s *server) song(ctx context.Context, a readRequest) ([]byte, int64, error) {
	var song catalog.Rated[catalog.Song]
	var err error
	if a.me {
		song, err = s.store.SongFor(ctx, a.viewer, a.PathValue("song_id"))
	} else {
		song.Row, err = s.store.Song(ctx, a.PathValue("song_id"))
	}
	if err != nil {
		return nil, 0, err
	}
	b := append(a.buf, `{"song":`...)
	b = appendSong(b, a.links, song.Row)
	if a.me {
		b = appendMe(b, song.Personal)
	}
	if a.gain {
		gain, err := s.store.SongGain(ctx, song.Row.ID)
		if err != nil {
			return nil, 0, err
		}
		if b, err = appendMember(b, withGain, catalogapi.Gain(gain)); err != nil {
			return nil, 0, err
		}
	}
	if a.file {
		file, err := s.store.SongFileInfo(ctx, song.Row.ID)
		if err != nil {
			return nil, 0, err
		}
		if b, err = appendMember(b, withFile, wireFile(file)); err != nil {
			return nil, 0, err
		}
	}
	return append(b, "}\n"...), 1, nil
}

// appendMember appends a member to an object that is not closed.
func appendMember(b []byte, name string, v any) ([]byte, error) {
	encoded, err := encode(v)
	b = append(b, `,"`...)
	b = append(b, name...)
	b = append(b, `":`...)
	return append(b, bytes.TrimRight(encoded, "\n")...), err
}

func (s *server) playlistSongs(ctx context.Context, a readRequest) ([]byte, int64, error) {
	entries, total, err := s.store.PlaylistSongs(ctx, a.viewer, a.PathValue("playlist_id"), a.page)
	if err != nil {
		return nil, 0, err
	}
	mine, err := mine(ctx, s, a, entries)
	if err != nil {
		return nil, 0, err
	}
	b := append(a.buf, `{"songs":[`...)
	for i, e := range entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendSong(b, a.links, e.Song)
		if mine != nil {
			b = appendMe(b, mine[i])
		}
		b = append(b[:len(b)-1], `,"position":`...)
		b = strconv.AppendInt(b, e.Position, 10)
		b = append(b, `,"added_at":`...)
		b = timestamp.At(e.AddedAt).AppendFormat(b)
		b = append(b, '}')
	}
	return appendPage(append(b, ']'), a.page, total), total, nil
}
