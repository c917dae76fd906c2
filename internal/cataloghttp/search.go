package cataloghttp

import (
	"context"
	"strconv"

	"waxwing/api/catalogapi"
)

func (s *server) search(ctx context.Context, a readRequest) ([]byte, int64, error) {
	found, err := s.store.Search(ctx, a.viewer, a.query, a.page.Limit)
	if err != nil {
		return nil, 0, err
	}
	artists, err := wireMine(ctx, s, a, found.Artists, wireArtist)
	if err != nil {
		return nil, 0, err
	}
	albums, err := wireMine(ctx, s, a, found.Albums, wireAlbum)
	if err != nil {
		return nil, 0, err
	}
	playlists, err := wireMine(ctx, s, a, found.Playlists, wirePlaylist)
	if err != nil {
		return nil, 0, err
	}
	mine, err := mine(ctx, s, a, found.Songs)
	if err != nil {
		return nil, 0, err
	}
	rest, err := encode(struct {
		Artists   []catalogapi.Artist   `json:"artists"`
		Albums    []catalogapi.Album    `json:"albums"`
		Playlists []catalogapi.Playlist `json:"playlists"`
	}{artists, albums, playlists})
	if err != nil {
		return nil, 0, err
	}
	b := appendSongs(a.buf, a.links, found.Songs, mine)
	b = append(b, `,"query":`...)
	b = appendString(b, a.query)
	b = append(b, `,"limit":`...)
	b = strconv.AppendInt(b, a.page.Limit, 10)
	b = append(b, ',')
	return append(b, rest[1:]...), 0, nil
}
