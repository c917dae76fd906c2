package cataloghttp

import (
	"context"
	"strings"

	"waxwing/api/catalogapi"
	"waxwing/api/timestamp"
	"waxwing/internal/catalog"
)

// wireList converts rows to their wire types.
func wireList[Row, Wire any](rows []Row, wire func(Row) Wire) []Wire {
	list := make([]Wire, len(rows))
	for i, row := range rows {
		list[i] = wire(row)
	}
	return list
}

func wireGenre(g catalog.Genre) catalogapi.Genre {
	return catalogapi.Genre{Name: g.Name, SongCount: int(g.SongCount), AlbumCount: int(g.AlbumCount)}
}

func wireYear(y catalog.Year) catalogapi.Year {
	return catalogapi.Year{Year: y.Year, SongCount: int(y.SongCount), AlbumCount: int(y.AlbumCount)}
}

// wireFile converts what is known about a file. A path may contain any bytes, JSON may not.
func wireFile(f catalog.SongFileInfo) catalogapi.SongFile {
	file := catalogapi.SongFile{
		Path: optional(strings.ToValidUTF8(f.Path, "\uFFFD")), Size: optional(int(f.Size)),
		SampleRate: optional(f.SampleRate), Channels: optional(f.Channels), BitDepth: optional(f.BitDepth),
		ModifiedAt: timestamp.Known(f.ModTime), AlbumArtist: optional(f.AlbumArtist), Picture: f.Picture,
		Genres: f.Genres, Composers: orNone(f.Composers), Released: optional(f.Released),
		Musicbrainz: catalogapi.MusicBrainz{
			RecordingID: optional(f.MusicBrainz.Recording), TrackID: optional(f.MusicBrainz.Track),
			AlbumID: optional(f.MusicBrainz.Album), ArtistIDs: orNone(f.MusicBrainz.Artists),
			AlbumArtistIDs: orNone(f.MusicBrainz.AlbumArtists),
		},
	}
	return file
}

// orNone returns a list that is not null in JSON.
func orNone(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func (s *server) genres(ctx context.Context, a readRequest) ([]byte, int64, error) {
	rows, total, err := s.store.Genres(ctx, a.page)
	if err != nil {
		return nil, 0, err
	}
	body, err := encode(catalogapi.GenreList{
		Genres: wireList(rows, wireGenre),
		Page:   int(a.page.Number), Limit: int(a.page.Limit), Total: int(total),
	})
	return body, total, err
}

func (s *server) genre(ctx context.Context, a readRequest) ([]byte, int64, error) {
	row, err := s.store.Genre(ctx, a.PathValue("genre"))
	if err != nil {
		return nil, 0, err
	}
	body, err := encode(catalogapi.GenreReply{Genre: wireGenre(row)})
	return body, 1, err
}

func (s *server) genreSongs(ctx context.Context, a readRequest) ([]byte, int64, error) {
	genre, err := s.store.Genre(ctx, a.PathValue("genre"))
	if err != nil {
		return nil, 0, err
	}
	query := a.list.songs(a.viewer)
	query.Genre = genre.Name
	songs, total, err := s.store.ListSongs(ctx, query, a.page)
	return s.songPage(ctx, a, songs, total, err)
}

func (s *server) genreAlbums(ctx context.Context, a readRequest) ([]byte, int64, error) {
	genre, err := s.store.Genre(ctx, a.PathValue("genre"))
	if err != nil {
		return nil, 0, err
	}
	query := a.list.albums(a.viewer)
	query.Genre = genre.Name
	albums, total, err := s.store.ListAlbums(ctx, query, a.page)
	return s.albumPage(ctx, a, albums, total, err)
}

func (s *server) years(ctx context.Context, a readRequest) ([]byte, int64, error) {
	rows, total, err := s.store.Years(ctx, a.page)
	if err != nil {
		return nil, 0, err
	}
	body, err := encode(catalogapi.YearList{
		Years: wireList(rows, wireYear),
		Page:  int(a.page.Number), Limit: int(a.page.Limit), Total: int(total),
	})
	return body, total, err
}
