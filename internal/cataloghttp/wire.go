package cataloghttp

import (
	"bytes"
	"context"
	"encoding/json"

	"waxwing/api/catalogapi"
	"waxwing/api/timestamp"
	"waxwing/internal/catalog"
)

// encode encodes a reply as httpkit does.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// optional returns a pointer to v, or nil if v is zero.
func optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func wireRefs(refs []catalog.ArtistRef) []catalogapi.ArtistRef {
	list := make([]catalogapi.ArtistRef, len(refs))
	for i, r := range refs {
		list[i] = catalogapi.ArtistRef{ID: r.ID, Username: r.Username, Name: r.Name}
	}
	return list
}

func wireArtist(to links, a catalog.Artist, me *catalogapi.Me) catalogapi.Artist {
	return catalogapi.Artist{
		ID: a.ID, Username: a.Username, Name: a.Name, Bio: optional(a.Bio), ImageURL: to.cover(a.Cover),
		SongCount: int(a.SongCount), AlbumCount: int(a.AlbumCount), PlayCount: int(a.PlayCount),
		CreatedAt: timestamp.At(a.CreatedAt), UpdatedAt: timestamp.At(a.UpdatedAt), Me: me,
	}
}

func wireAlbum(to links, a catalog.Album, me *catalogapi.Me) catalogapi.Album {
	album := catalogapi.Album{
		ID: a.ID, Title: a.Title, Artist: optional(a.Artist), Artists: wireRefs(a.Artists),
		Year: optional(a.Year), Compilation: a.Compilation,
		SongCount: int(a.SongCount), Duration: int(a.Duration),
		CoverURL: to.cover(a.Cover), ThumbnailURL: to.cover(a.Cover) + thumbnail,
		CreatedAt: timestamp.At(a.CreatedAt), UpdatedAt: timestamp.At(a.UpdatedAt), Me: me,
	}
	if len(a.Artists) > 0 {
		album.ArtistID = &a.Artists[0].ID
	}
	return album
}

func wirePlaylist(to links, p catalog.Playlist, me *catalogapi.Me) catalogapi.Playlist {
	return catalogapi.Playlist{
		ID: p.ID, Name: p.Name, Description: optional(p.Description), Public: p.Public,
		Owner:     catalogapi.UserRef{ID: p.Owner.ID, Username: p.Owner.Username, Name: p.Owner.Name},
		SongCount: int(p.SongCount), Duration: int(p.Duration),
		CoverURL: to.cover(p.Cover), ThumbnailURL: to.cover(p.Cover) + thumbnail,
		CreatedAt: timestamp.At(p.CreatedAt), UpdatedAt: timestamp.At(p.UpdatedAt), Me: me,
	}
}

func wireUser(to links, u catalog.User) catalogapi.User {
	return catalogapi.User{
		ID: u.ID, Username: u.Username, Name: u.Name, Bio: optional(u.Bio),
		ProfileImageURL: to.cover(u.Cover),
		PlaylistCount:   int(u.PlaylistCount), CreatedAt: timestamp.At(u.CreatedAt),
	}
}

func (s *server) artists(ctx context.Context, a readRequest) ([]byte, int64, error) {
	rows, total, err := s.store.ListArtists(ctx, a.list.artists(a.viewer), a.page)
	if err != nil {
		return nil, 0, err
	}
	list, err := wireMine(ctx, s, a, rows, wireArtist)
	if err != nil {
		return nil, 0, err
	}
	body, err := encode(catalogapi.ArtistList{
		Artists: list,
		Page:    int(a.page.Number), Limit: int(a.page.Limit), Total: int(total),
	})
	return body, total, err
}

func (s *server) artist(ctx context.Context, a readRequest) ([]byte, int64, error) {
	row, err := s.store.Artist(ctx, a.PathValue("username_or_id"))
	if err != nil {
		return nil, 0, err
	}
	list, err := wireMine(ctx, s, a, []catalog.Artist{row}, wireArtist)
	if err != nil {
		return nil, 0, err
	}
	body, err := encode(catalogapi.ArtistReply{Artist: list[0]})
	return body, 1, err
}

func (s *server) albums(ctx context.Context, a readRequest) ([]byte, int64, error) {
	rows, total, err := s.store.ListAlbums(ctx, a.list.albums(a.viewer), a.page)
	return s.albumPage(ctx, a, rows, total, err)
}

func (s *server) albumPage(
	ctx context.Context, a readRequest, rows []catalog.Album, total int64, err error,
) ([]byte, int64, error) {
	if err != nil {
		return nil, 0, err
	}
	list, err := wireMine(ctx, s, a, rows, wireAlbum)
	if err != nil {
		return nil, 0, err
	}
	body, err := encode(catalogapi.AlbumList{
		Albums: list,
		Page:   int(a.page.Number), Limit: int(a.page.Limit), Total: int(total),
	})
	return body, total, err
}

func (s *server) album(ctx context.Context, a readRequest) ([]byte, int64, error) {
	row, err := s.store.Album(ctx, a.PathValue("album_id"))
	if err != nil {
		return nil, 0, err
	}
	list, err := wireMine(ctx, s, a, []catalog.Album{row}, wireAlbum)
	if err != nil {
		return nil, 0, err
	}
	body, err := encode(catalogapi.AlbumReply{Album: list[0]})
	return body, 1, err
}

func (s *server) playlists(ctx context.Context, a readRequest) ([]byte, int64, error) {
	read := s.store.Playlists
	if a.list.liked {
		read = s.store.PlaylistsLiked
	}
	rows, total, err := read(ctx, a.viewer, a.page)
	return s.playlistPage(ctx, a, rows, total, err)
}

func (s *server) userPlaylists(ctx context.Context, a readRequest) ([]byte, int64, error) {
	username := a.PathValue("username")
	if username == "me" {
		own, err := s.store.UserOf(ctx, a.viewer)
		if err != nil {
			return nil, 0, err
		}
		username = own.Username
	}
	rows, total, err := s.store.UserPlaylists(ctx, a.viewer, username, a.page)
	return s.playlistPage(ctx, a, rows, total, err)
}

func (s *server) playlistPage(
	ctx context.Context, a readRequest, rows []catalog.Playlist, total int64, err error,
) ([]byte, int64, error) {
	if err != nil {
		return nil, 0, err
	}
	list, err := s.wirePlaylists(ctx, a, rows)
	if err != nil {
		return nil, 0, err
	}
	body, err := encode(catalogapi.PlaylistList{
		Playlists: list,
		Page:      int(a.page.Number), Limit: int(a.page.Limit), Total: int(total),
	})
	return body, total, err
}

func (s *server) playlist(ctx context.Context, a readRequest) ([]byte, int64, error) {
	row, err := s.store.Playlist(ctx, a.viewer, a.PathValue("playlist_id"))
	if err != nil {
		return nil, 0, err
	}
	list, err := s.wirePlaylists(ctx, a, []catalog.Playlist{row})
	if err != nil {
		return nil, 0, err
	}
	body, err := encode(catalogapi.PlaylistReply{Playlist: list[0]})
	return body, 1, err
}

func (s *server) user(ctx context.Context, a readRequest) ([]byte, int64, error) {
	row, err := s.userOf(ctx, a)
	if err != nil {
		return nil, 0, err
	}
	body, err := encode(catalogapi.UserReply{User: wireUser(a.links, row)})
	return body, 1, err
}

// userOf returns the user in the path; "me" is the owner of the key.
func (s *server) userOf(ctx context.Context, a readRequest) (catalog.User, error) {
	username := a.PathValue("username")
	if username == "me" {
		return s.store.UserOf(ctx, a.viewer)
	}
	return s.store.User(ctx, username)
}
