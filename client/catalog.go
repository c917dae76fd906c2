package client

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"waxwing/api/catalogapi"
)

// DefaultCatalogURL is the default address of the catalog.
const DefaultCatalogURL = "http://127.0.0.1:7845"

// Catalog is a client of the catalog API. It is safe for concurrent use if its fields do not
// change.
type Catalog struct {
	BaseURL string       // DefaultCatalogURL if empty
	Key     string       // not needed for Ready
	HTTP    *http.Client // optional

	player *Player // that forwards the requests, if it is not nil
}

// Catalog returns a client of the player's catalog. It sends its requests to the player, which
// forwards them, and needs no key. The user of the key is the one that the player acts for.
func (p *Player) Catalog() *Catalog { return &Catalog{player: p} }

func (c *Catalog) transport() transport {
	if c.player != nil {
		t := c.player.transport()
		t.maxReply, t.maxValues = maxCatalogReply, maxCatalogValues
		return t
	}
	return transport{
		base: strings.TrimSuffix(cmp.Or(c.BaseURL, DefaultCatalogURL), "/"), header: "X-Api-Key", credential: c.Key,
		name: "catalog", hint: "waxwing catalog", http: c.HTTP,
		maxReply: maxCatalogReply, maxValues: maxCatalogValues,
	}
}

// apiPath joins escaped segments to a path below /api.
func apiPath(segments ...string) string {
	var b strings.Builder
	b.WriteString("/api")
	for _, s := range segments {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(s))
	}
	return b.String()
}

// paged adds the page to a path; numbers below 1 mean the server's default.
func paged(path string, page, limit int) string { return pagedQuery(path, url.Values{}, page, limit) }

func pagedQuery(path string, q url.Values, page, limit int) string {
	if page > 0 {
		q.Set("page", strconv.Itoa(page))
	}
	if limit > 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// Ready returns nil if the catalog can serve requests. It needs no key.
func (c *Catalog) Ready(ctx context.Context) error {
	return c.transport().do(ctx, http.MethodGet, "/ready", nil, nil)
}

// Songs returns a page of all songs, counted from 1.
func (c *Catalog) Songs(ctx context.Context, page, limit int) (catalogapi.SongList, error) {
	return get[catalogapi.SongList](ctx, c.transport(), paged(apiPath("songs"), page, limit))
}

// Song returns one song.
func (c *Catalog) Song(ctx context.Context, id string) (catalogapi.Song, error) {
	out, err := get[catalogapi.SongReply](ctx, c.transport(), apiPath("songs", id))
	return out.Song, err
}

// SongGain returns the ReplayGain values of a song. They are empty for a catalog that is too old to
// send them.
func (c *Catalog) SongGain(ctx context.Context, id string) (catalogapi.Gain, error) {
	out, err := get[catalogapi.SongReply](ctx, c.transport(), apiPath("songs", id)+"?with=gain")
	if err != nil || out.Gain == nil {
		return catalogapi.Gain{}, err
	}
	return *out.Gain, nil
}

// Lyrics returns the texts of a song, the best one first; none if it has no lyrics.
func (c *Catalog) Lyrics(ctx context.Context, id string) ([]catalogapi.Lyrics, error) {
	out, err := get[catalogapi.LyricsReply](ctx, c.transport(), apiPath("songs", id, "lyrics"))
	return out.Lyrics, err
}

// Trending returns the songs that have been played most recently, most played first.
func (c *Catalog) Trending(ctx context.Context, limit int) ([]catalogapi.Song, error) {
	out, err := get[catalogapi.Trending](ctx, c.transport(), paged(apiPath("songs", "trending"), 0, limit))
	return out.Songs, err
}

// Artists returns a page of the artists.
func (c *Catalog) Artists(ctx context.Context, page, limit int) (catalogapi.ArtistList, error) {
	return get[catalogapi.ArtistList](ctx, c.transport(), paged(apiPath("artists"), page, limit))
}

// Artist returns one artist by username or id.
func (c *Catalog) Artist(ctx context.Context, usernameOrID string) (catalogapi.Artist, error) {
	out, err := get[catalogapi.ArtistReply](ctx, c.transport(), apiPath("artists", usernameOrID))
	return out.Artist, err
}

// ArtistSongs returns a page of an artist's songs.
func (c *Catalog) ArtistSongs(ctx context.Context, usernameOrID string, page, limit int) (catalogapi.SongList, error) {
	return get[catalogapi.SongList](ctx, c.transport(), paged(apiPath("artists", usernameOrID, "songs"), page, limit))
}

// Albums returns a page of the albums.
func (c *Catalog) Albums(ctx context.Context, page, limit int) (catalogapi.AlbumList, error) {
	return get[catalogapi.AlbumList](ctx, c.transport(), paged(apiPath("albums"), page, limit))
}

// Album returns one album.
func (c *Catalog) Album(ctx context.Context, id string) (catalogapi.Album, error) {
	out, err := get[catalogapi.AlbumReply](ctx, c.transport(), apiPath("albums", id))
	return out.Album, err
}

// AlbumSongs returns a page of an album's songs.
func (c *Catalog) AlbumSongs(ctx context.Context, id string, page, limit int) (catalogapi.SongList, error) {
	return get[catalogapi.SongList](ctx, c.transport(), paged(apiPath("albums", id, "songs"), page, limit))
}

// User returns a public profile.
func (c *Catalog) User(ctx context.Context, username string) (catalogapi.User, error) {
	out, err := get[catalogapi.UserReply](ctx, c.transport(), apiPath("users", username))
	return out.User, err
}

// Me returns the profile of the user that the key belongs to.
func (c *Catalog) Me(ctx context.Context) (catalogapi.User, error) { return c.User(ctx, "me") }

// UserPlaylists returns a page of a user's playlists.
func (c *Catalog) UserPlaylists(
	ctx context.Context,
	username string,
	page, limit int,
) (catalogapi.PlaylistList, error) {
	return get[catalogapi.PlaylistList](ctx, c.transport(), paged(apiPath("users", username, "playlists"), page, limit))
}

// Search returns matching songs, artists, albums and playlists, at most limit of each.
func (c *Catalog) Search(ctx context.Context, query string, limit int) (catalogapi.SearchReply, error) {
	return get[catalogapi.SearchReply](ctx, c.transport(), searchPath(query, limit))
}

func searchPath(query string, limit int) string {
	q := url.Values{"q": {query}}
	if limit > 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	return apiPath("search") + "?" + q.Encode()
}

// Scan returns the progress of the running scan, or the result of the last one.
func (c *Catalog) Scan(ctx context.Context) (catalogapi.Scan, error) {
	out, err := get[catalogapi.ScanReply](ctx, c.transport(), apiPath("scan"))
	return out.Scan, err
}

// StartScan requests a scan of the music folders; a full one reads all files again. Like all
// changes it needs a key with the permission write.
func (c *Catalog) StartScan(ctx context.Context, full bool) (catalogapi.Scan, error) {
	var out catalogapi.ScanReply
	err := c.transport().do(ctx, http.MethodPost, apiPath("scan"), catalogapi.StartScan{Full: &full}, &out)
	return out.Scan, err
}

// SongPage reads a page of a list of songs, such as [Catalog.Songs].
type SongPage func(ctx context.Context, page, limit int) (catalogapi.SongList, error)

// AllSongs yields every song of a list, page by page, until the list or ctx ends.
func AllSongs(ctx context.Context, list SongPage) iter.Seq2[catalogapi.Song, error] {
	const limit = 200
	return func(yield func(catalogapi.Song, error) bool) {
		for page := 1; ; page++ {
			got, err := list(ctx, page, limit)
			if err != nil {
				yield(catalogapi.Song{}, err)
				return
			}
			for _, song := range got.Songs[:min(len(got.Songs), limit)] {
				if !yield(song, nil) {
					return
				}
			}
			if len(got.Songs) < limit || page*limit >= got.Total {
				return
			}
		}
	}
}
