// Package cataloghttp serves the catalog API, which api/catalog.yaml describes.
package cataloghttp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/api"
	"waxwing/api/catalogapi"
	"waxwing/internal/apidocs"
	"waxwing/internal/art"
	"waxwing/internal/audit"
	"waxwing/internal/catalog"
	"waxwing/internal/httpkit"
	"waxwing/internal/replycache"
	"waxwing/internal/transcode"
	"waxwing/web"
)

// Config configures the server. BaseURL, Hosts, Transcodes, FindLyrics, Scan, StartScan, Ready,
// PlayerKey and Audit are optional.
type Config struct {
	Catalog *catalog.Store
	// BaseURL is the prefix of every URL in a response. If empty, it is the Host of the request,
	// which has passed the Host check.
	BaseURL string
	Hosts   []string // accepted host names besides the loopback ones
	Version string

	// Rate (requests per second) and Burst limit keys without limits of their own. Rate 0: no limit.
	Rate  float64
	Burst int
	// Limits counts the requests of keys, also those to other servers of this process. Nil: only those
	// to this one.
	Limits *httpkit.RateLimits

	// OpenFile opens the audio file of a song and returns its modification time. A missing file is a
	// NotFound fault.
	OpenFile func(ctx context.Context, file catalog.FileRef) (io.ReadSeekCloser, time.Time, error)
	// OpenMedia opens the audio file of a song for a client, or says where the client gets it. Nil:
	// OpenFile does.
	OpenMedia func(r *http.Request, file catalog.FileRef, contentType string) (httpkit.File, error)
	// Picture returns a cover.
	Picture func(ctx context.Context, r art.Request) (art.Image, error)
	// Transcodes converts audio to other formats. Nil: the original files only.
	Transcodes *transcode.Store
	// FindLyrics looks up lyrics that the files of a song do not have. Nil: nothing is looked up.
	FindLyrics FindLyrics
	// Scan returns the progress of the scan. Nil: no scans run.
	Scan func() catalogapi.Scan
	// StartScan requests a scan; a full one reads all files. Nil: this server does not scan.
	StartScan func(full bool)
	// Ready returns an error while this server should get no requests although its database is
	// available.
	Ready func() error
	// Apps is the address for apps that speak the Subsonic API.
	Apps catalogapi.AppAddress
	// Storage says what is wrong with the object storage of the music, "" if nothing. Nil: there is
	// none.
	Storage func(ctx context.Context) string
	// PlayerKey returns the id of the key that the player of the same process uses. It cannot be
	// rotated or revoked here.
	PlayerKey func() string

	// MaxRequests bounds the requests in progress of one credential; 0: no bound.
	MaxRequests int

	Metrics *prometheus.Registry
	Log     *slog.Logger
	Audit   *audit.Log
}

// server is the state that the handlers share. Each field is safe for concurrent use.
type server struct {
	cfg     Config
	store   *catalog.Store
	cache   *replies
	plays   httpkit.PlayCounts
	signing []byte
	covers  art.Names
	online  *onlineLyrics
	tagged  string // part of every ETag: the version and a sample of the names of covers
}

// New returns the handler of the catalog API. It reads the signing key of links.
func New(ctx context.Context, cfg Config) (http.Handler, error) {
	signing, err := cfg.Catalog.SigningKey(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the signing key: %w", err)
	}
	covers, err := art.NewNames(signing)
	if err != nil {
		return nil, err
	}
	cfg.BaseURL = strings.TrimSuffix(cfg.BaseURL, "/")
	if cfg.Limits == nil {
		cfg.Limits = httpkit.NewRateLimits(cfg.Catalog)
	}
	if cfg.OpenMedia == nil {
		cfg.OpenMedia = httpkit.OpenedBy(cfg.OpenFile)
	}
	s := &server{
		cfg: cfg, store: cfg.Catalog, cache: replycache.New[cacheKey, replyHeaders]("catalog", cfg.Metrics),
		plays: httpkit.NewPlayCounts(cfg.Metrics), signing: signing, covers: covers,
		tagged: string(covers.Append([]byte(cfg.Version), strings.Repeat("0", 32))),
		online: newOnlineLyrics(ctx, cfg),
	}
	return httpkit.New(httpkit.Config{
		Name: "catalog", Version: cfg.Version, Hosts: cfg.Hosts, PublicURL: cfg.BaseURL, HostSetting: "catalog-host",
		Challenge: `ApiKey realm="waxwing", header="x-api-key"`,
		Log:       cfg.Log, Metrics: cfg.Metrics, Audit: cfg.Audit, RequestsPerCredential: cfg.MaxRequests,
		Authenticate: s.authenticate,
	}, s.routes()), nil
}

// routes is the route table, in the order of api/catalog.yaml; a test compares the two.
func (s *server) routes() []httpkit.Route {
	const (
		public, read, write   = httpkit.Public, httpkit.Read, httpkit.Write
		keys                  = httpkit.Keys
		stream, page, picture = httpkit.Stream, httpkit.Page, httpkit.Picture
	)
	docs := apidocs.New(api.CatalogYAML, s.cfg.BaseURL)
	lyrics := one
	if s.cfg.FindLyrics != nil {
		lyrics.prepare = s.completeLyrics
	}
	return []httpkit.Route{
		{Pattern: "GET /api/songs", Need: read, Handler: s.read(songLists, s.songs)},
		{Pattern: "GET /api/songs/trending", Need: read, Handler: s.read(trending, s.trending)},
		{Pattern: "GET /api/songs/{song_id}", Need: read, Handler: s.read(oneSong, s.song)},
		{Pattern: "GET /api/songs/{song_id}/lyrics", Need: read, Handler: s.read(lyrics, s.lyrics)},
		{Pattern: "GET /api/songs/{song_id}/similar", Need: read, Handler: s.read(similar, s.similar)},
		{Pattern: "GET /api/songs/{song_id}/stream", Need: read, Kind: stream, Handler: s.stream},
		{Pattern: "GET /api/songs/{song_id}/link", Need: read, Handler: op(s.link)},

		{Pattern: "GET /api/playlists", Need: read, Handler: s.read(playlists, s.playlists)},
		{Pattern: "POST /api/playlists", Need: write, Handler: op(s.createPlaylist)},
		{Pattern: "GET /api/playlists/{playlist_id}", Need: read, Handler: s.read(onePlaylist, s.playlist)},
		{Pattern: "PATCH /api/playlists/{playlist_id}", Need: write, Handler: op(s.changePlaylist)},
		{Pattern: "DELETE /api/playlists/{playlist_id}", Need: write, Handler: op(s.deletePlaylist)},
		{Pattern: "GET /api/playlists/{playlist_id}/songs", Need: read, Handler: s.read(playlistSongs, s.playlistSongs)},
		{Pattern: "PUT /api/playlists/{playlist_id}/songs", Need: write, Handler: op(s.replaceSongs)},
		{Pattern: "POST /api/playlists/{playlist_id}/songs", Need: write, Handler: op(s.addSongs)},
		{Pattern: "PATCH /api/playlists/{playlist_id}/songs/{position}", Need: write, Handler: op(s.moveSong)},
		{Pattern: "DELETE /api/playlists/{playlist_id}/songs/{position}", Need: write, Handler: op(s.removeSong)},

		{Pattern: "GET /api/artists", Need: read, Handler: s.read(artistLists, s.artists)},
		{Pattern: "GET /api/artists/{username_or_id}", Need: read, Handler: s.read(one, s.artist)},
		{Pattern: "GET /api/artists/{username_or_id}/songs", Need: read, Handler: s.read(lists, s.artistSongs)},
		{Pattern: "GET /api/albums", Need: read, Handler: s.read(albumLists, s.albums)},
		{Pattern: "GET /api/albums/{album_id}", Need: read, Handler: s.read(one, s.album)},
		{Pattern: "GET /api/albums/{album_id}/songs", Need: read, Handler: s.read(lists, s.albumSongs)},
		{Pattern: "GET /api/genres", Need: read, Handler: s.read(plainLists, s.genres)},
		{Pattern: "GET /api/genres/{genre}", Need: read, Handler: s.read(querySpec{}, s.genre)},
		{Pattern: "GET /api/genres/{genre}/songs", Need: read, Handler: s.read(genreSongs, s.genreSongs)},
		{Pattern: "GET /api/genres/{genre}/albums", Need: read, Handler: s.read(genreAlbums, s.genreAlbums)},
		{Pattern: "GET /api/years", Need: read, Handler: s.read(plainLists, s.years)},
		{Pattern: "GET /api/users/{username}", Need: read, Handler: s.read(querySpec{}.private(), s.user)},
		{Pattern: "GET /api/users/{username}/playlists", Need: read, Handler: s.read(userPlaylists, s.userPlaylists)},
		{Pattern: "GET /api/search", Need: read, Handler: s.read(searching.private(), s.search)},

		{Pattern: "POST /api/plays", Need: write, Handler: op(s.play)},

		{Pattern: "GET /api/me", Need: read, Handler: s.read(querySpec{}.private(), s.me)},
		{Pattern: "GET /api/me/likes", Need: read, Handler: s.read(likes, s.likes)},
		{Pattern: "PUT /api/me/likes/{id}", Need: write, Handler: op(s.like)},
		{Pattern: "DELETE /api/me/likes/{id}", Need: write, Handler: op(s.unlike)},
		{Pattern: "PUT /api/me/ratings/{id}", Need: write, Handler: op(s.rate)},
		{Pattern: "GET /api/me/history", Need: read, Handler: s.read(history, s.history)},
		{Pattern: "DELETE /api/me/history", Need: write, Handler: op(s.deleteHistory)},
		{Pattern: "DELETE /api/me/history/{play_id}", Need: write, Handler: op(s.deletePlay)},
		{Pattern: "GET /api/me/top", Need: read, Handler: s.read(top, s.top)},

		{Pattern: "GET /api/folders", Need: read, Handler: httpkit.Op(s.folders)},
		{Pattern: "GET /api/scan", Need: read, Handler: httpkit.Op(s.scan)},
		{Pattern: "POST /api/scan", Need: write, Handler: op(s.startScan)},
		{Pattern: "GET /api/events", Need: read, Kind: stream, Handler: s.events},

		{Pattern: "GET /api/keys", Need: keys, Handler: op(s.keys)},
		{Pattern: "GET /api/keys/current", Need: read, Handler: op(s.currentKey)},
		{Pattern: "POST /api/keys", Need: keys, Handler: op(s.createKey)},
		{Pattern: "DELETE /api/keys/{key_id}", Need: keys, Handler: op(s.revokeKey)},
		{Pattern: "POST /api/keys/{key_id}/rotate", Need: keys, Handler: op(s.rotateKey)},

		{Pattern: "POST /identity", Need: public, Handler: op(s.identity)},

		{Pattern: "GET /media/songs/{song_id}", Need: public, Kind: stream, Handler: s.signedStream},
		{Pattern: "GET /media/covers/{hash}", Need: public, Kind: picture, Handler: s.cover},

		{Pattern: "GET /health", Need: public, Handler: httpkit.Op(s.health)},
		{Pattern: "GET /ready", Need: public, Handler: op(s.ready)},
		{Pattern: "GET /metrics", Need: public, Handler: httpkit.MetricsOf(s.cfg.Metrics)},
		{Pattern: "GET /openapi.yaml", Need: public, Kind: page, Handler: docs.Document},
		{Pattern: "GET /docs", Need: public, Kind: page, Handler: docs.Page},
		{Pattern: "GET /docs/console.js", Need: public, Handler: docs.Script},
		{Pattern: "GET /{$}", Need: public, Kind: page, Handler: web.Page(web.CatalogPage)},
		{Pattern: "GET /web/{path...}", Need: public, Handler: web.ServeFile},
	}
}

// base returns the prefix of every URL in the response.
func (s *server) base(r *http.Request) string {
	if s.cfg.BaseURL != "" {
		return s.cfg.BaseURL
	}
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// links returns what writes the URLs of the response.
func (s *server) links(r *http.Request) links { return links{s.base(r), s.covers} }
