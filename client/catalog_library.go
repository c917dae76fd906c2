package client

import (
	"context"
	"net/http"
	"net/url"

	"waxwing/api/catalogapi"
)

// SongQuery selects and orders songs; empty fields select everything.
type SongQuery struct {
	Sort   string // title, artist, album, year, added, duration or plays; empty: in the order added
	Order  string // asc or desc; empty: what fits the sort
	Genre  string
	Year   string // "1999" or "1990-1999"
	Format string
	Liked  bool // only songs that the user of the key likes
}

func (q SongQuery) values() url.Values {
	return values("sort", q.Sort, "order", q.Order, "genre", q.Genre, "year", q.Year, "format", q.Format,
		"liked", ifTrue(q.Liked))
}

// AlbumQuery selects and orders albums; empty fields select everything.
type AlbumQuery struct {
	// Sort is title, artist, year, newest or random; frequent, recent and rating list the albums that
	// the user of the key has played or rated. Empty: title.
	Sort  string
	Order string // asc or desc; empty: what fits the sort
	Seed  string // needed by random; the same for all pages
	Genre string
	Year  string // "1999" or "1990-1999"
	Liked bool   // only albums that the user of the key likes
}

func (q AlbumQuery) values() url.Values {
	return values("sort", q.Sort, "order", q.Order, "seed", q.Seed, "genre", q.Genre, "year", q.Year,
		"liked", ifTrue(q.Liked))
}

// ifTrue returns the value of a parameter that is sent only if it is true.
func ifTrue(b bool) string {
	if b {
		return "true"
	}
	return ""
}

// values returns the parameters of pairs of names and values that are not empty.
func values(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q
}

// ListSongs returns a page of the songs that a query selects.
func (c *Catalog) ListSongs(ctx context.Context, q SongQuery, page, limit int) (catalogapi.SongList, error) {
	return get[catalogapi.SongList](ctx, c.transport(), pagedQuery(apiPath("songs"), q.values(), page, limit))
}

// ListAlbums returns a page of the albums that a query selects.
func (c *Catalog) ListAlbums(ctx context.Context, q AlbumQuery, page, limit int) (catalogapi.AlbumList, error) {
	return get[catalogapi.AlbumList](ctx, c.transport(), pagedQuery(apiPath("albums"), q.values(), page, limit))
}

// Genres returns a page of the genres.
func (c *Catalog) Genres(ctx context.Context, page, limit int) (catalogapi.GenreList, error) {
	return get[catalogapi.GenreList](ctx, c.transport(), paged(apiPath("genres"), page, limit))
}

// GenreSongs returns a page of the songs of a genre. An unknown genre is a NotFound fault.
func (c *Catalog) GenreSongs(
	ctx context.Context, genre string, q SongQuery, page, limit int,
) (catalogapi.SongList, error) {
	q.Genre = ""
	return get[catalogapi.SongList](ctx, c.transport(),
		pagedQuery(apiPath("genres", genre, "songs"), q.values(), page, limit))
}

// GenreAlbums returns a page of the albums of a genre. An unknown genre is a NotFound fault.
func (c *Catalog) GenreAlbums(
	ctx context.Context, genre string, q AlbumQuery, page, limit int,
) (catalogapi.AlbumList, error) {
	q.Genre = ""
	return get[catalogapi.AlbumList](ctx, c.transport(),
		pagedQuery(apiPath("genres", genre, "albums"), q.values(), page, limit))
}

// Years returns a page of the years of songs and albums.
func (c *Catalog) Years(ctx context.Context, page, limit int) (catalogapi.YearList, error) {
	return get[catalogapi.YearList](ctx, c.transport(), paged(apiPath("years"), page, limit))
}

// AlbumArtists returns a page of the artists of albums, without guests.
func (c *Catalog) AlbumArtists(ctx context.Context, page, limit int) (catalogapi.ArtistList, error) {
	return get[catalogapi.ArtistList](ctx, c.transport(),
		pagedQuery(apiPath("artists"), values("role", "albumartist"), page, limit))
}

// SongWithFile returns one song with what is known about its file.
func (c *Catalog) SongWithFile(ctx context.Context, id string) (catalogapi.Song, error) {
	out, err := get[catalogapi.SongReply](ctx, c.transport(), apiPath("songs", id)+"?with=file")
	out.Song.File = out.File
	return out.Song, err
}

// SongFile returns what is known about the file of a song.
func (c *Catalog) SongFile(ctx context.Context, id string) (catalogapi.SongFile, error) {
	out, err := get[catalogapi.SongReply](ctx, c.transport(), apiPath("songs", id)+"?with=file")
	if err != nil || out.File == nil {
		return catalogapi.SongFile{}, err
	}
	return *out.File, nil
}

// SongsWithFiles returns a page of all songs, each with what is known about its file. The request
// says that it is less urgent than others, because a program that reads all pages sends many.
func (c *Catalog) SongsWithFiles(ctx context.Context, page, limit int) (out catalogapi.SongList, err error) {
	_, err = c.transport().call(ctx, http.MethodGet,
		pagedQuery(apiPath("songs"), values("with", "file"), page, limit), http.Header{"Priority": {"u=6"}}, nil, &out)
	return out, err
}

// Similar returns songs that are similar to a song, the most similar first.
func (c *Catalog) Similar(ctx context.Context, songID string, limit int) ([]catalogapi.Song, error) {
	out, err := get[catalogapi.Trending](ctx, c.transport(), paged(apiPath("songs", songID, "similar"), 0, limit))
	return out.Songs, err
}
