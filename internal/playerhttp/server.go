// Package playerhttp implements the control API of a player: api/player.yaml.
package playerhttp

import (
	"context"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"net/url"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/api"
	"waxwing/api/catalogapi"
	"waxwing/api/playerapi"
	"waxwing/internal/access"
	"waxwing/internal/apidocs"
	"waxwing/internal/audit"
	"waxwing/internal/httpkit"
	"waxwing/internal/lyrics"
	"waxwing/internal/player"
	"waxwing/web"
)

// Config configures the server. Owner, Hosts, PublicURL, RemoteURL, MaxRequests, CatalogRevisions,
// Lyrics and Audit are optional.
type Config struct {
	Player *player.Player
	Tokens *access.Store
	// Owner returns the owner's token, for requests through [httpkit.ServeOwner].
	Owner func(context.Context) access.Token
	Addr  net.Addr // of the listener
	Hosts []string // accepted host names besides the loopback ones
	// PublicURL is the address at which a proxy serves this server; "" if there is none.
	PublicURL string
	// RemoteURL returns the address at which other machines reach this server; "" if none does.
	RemoteURL func() string
	Version   string

	// Profile reads the public profile of the active user.
	Profile func(ctx context.Context) (playerapi.PublicUser, error)
	// Ready returns nil if everything that the player needs is available.
	Ready func(ctx context.Context) error

	CatalogURL *url.URL // /api and /media are proxied to it
	CatalogKey string
	// CatalogKeys lists the keys that the player's key may manage, itself included.
	CatalogKeys func(ctx context.Context) ([]catalogapi.Key, error)
	// CatalogRevisions yields the revision of the catalog at once and after each change, and an
	// error when the connection is lost. It ends when trying again is useless. Nil: never reported.
	CatalogRevisions func(ctx context.Context) iter.Seq2[string, error]

	// Lyrics reads the lyrics of a track from the catalog. Nil: no track has any.
	Lyrics func(ctx context.Context, trackID string) ([]lyrics.Lyrics, error)

	// MaxRequests bounds the requests in progress of one credential; 0: no bound.
	MaxRequests int

	Metrics    prometheus.Registerer
	AllMetrics prometheus.Gatherer // what /metrics replies
	Log        *slog.Logger
	Audit      *audit.Log
}

// server holds what the handlers share. Each field is safe for concurrent use.
type server struct {
	cfg     Config
	player  *player.Player
	pairing pairing
	overlay overlayProblem
	profile *profile
	states  states
	queues  queues
	catalog *catalogProxy

	catalogWatch *watch[playerapi.CatalogState]
	lyricWatch   *watch[playerapi.Lyric]
}

// New returns the server as a handler.
func New(cfg Config) http.Handler {
	s := &server{
		cfg: cfg, player: cfg.Player, profile: &profile{fetch: cfg.Profile}, catalog: newCatalogProxy(cfg),
		catalogWatch: newCatalogWatch(cfg.CatalogRevisions, cfg.Log),
	}
	s.lyricWatch = s.newLyricWatch()
	return httpkit.New(httpkit.Config{
		Name: "player", Version: cfg.Version, Hosts: cfg.Hosts, PublicURL: cfg.PublicURL, HostSetting: "player-host",
		Challenge: `Bearer realm="waxwing"`, Log: cfg.Log, Metrics: cfg.Metrics, Audit: cfg.Audit,
		RequestsPerCredential: cfg.MaxRequests,
		Authenticate:          bearer(cfg.Tokens, cfg.Owner), OriginAllowed: cfg.Tokens.HasOrigin,
	}, s.routes())
}

// routes is the whole API, in the order of api/player.yaml; a test compares the two.
func (s *server) routes() []httpkit.Route {
	const (
		public, read, write = httpkit.Public, httpkit.Read, httpkit.Write
		keys, streams       = httpkit.Keys, httpkit.Streams
		plain, stream, page = httpkit.JSON, httpkit.Stream, httpkit.Page
	)
	docs := apidocs.New(api.PlayerYAML, s.cfg.PublicURL)
	return []httpkit.Route{
		{Pattern: "GET /health", Need: public, Handler: httpkit.Op(s.health)},
		{Pattern: "GET /current-track", Need: read, Handler: httpkit.Op(s.currentTrack)},
		{Pattern: "GET /now.txt", Need: read, Handler: s.nowText},
		{Pattern: "GET /playback-state", Need: read, Handler: httpkit.Op(s.playbackState)},
		{Pattern: "GET /playback-queue", Need: read, Handler: s.playbackQueue},
		{Pattern: "GET /user/public", Need: read, Handler: httpkit.Op(s.publicUser)},
		{Pattern: "GET /lyrics", Need: read, Handler: httpkit.Op(s.lyrics)},
		{Pattern: "GET /events", Need: read, Kind: stream, Handler: s.events},

		{Pattern: "POST /play", Need: write, Handler: httpkit.Op(s.play)},
		{Pattern: "POST /pause", Need: write, Handler: httpkit.Op(done(s.player.Pause))},
		{Pattern: "POST /next", Need: write, Handler: httpkit.Op(done(s.player.Next))},
		{Pattern: "POST /previous", Need: write, Handler: httpkit.Op(done(s.player.Previous))},
		{Pattern: "POST /stop", Need: write, Handler: httpkit.Op(done(s.player.Stop))},
		{Pattern: "POST /seek", Need: write, Handler: withoutSeekCode(httpkit.Op(s.seek))},
		{Pattern: "POST /toggle", Need: write, Handler: httpkit.Op(s.toggle)},
		{Pattern: "POST /toggle-play", Need: write, Handler: httpkit.Op(s.toggle)},
		{Pattern: "POST /shuffle", Need: write, Handler: httpkit.Op(s.shuffle)},
		{Pattern: "POST /repeat", Need: write, Handler: httpkit.Op(s.repeat)},
		{Pattern: "GET /modes", Need: read, Handler: httpkit.Op(s.modes)},
		{Pattern: "POST /modes", Need: write, Handler: httpkit.Op(s.setModes)},
		{Pattern: "GET /volume", Need: read, Handler: httpkit.Op(s.volume)},
		{Pattern: "POST /volume", Need: write, Handler: httpkit.Op(s.setVolume)},
		{Pattern: "POST /like", Need: write, Handler: httpkit.Op(s.like(true))},
		{Pattern: "POST /unlike", Need: write, Handler: httpkit.Op(s.like(false))},
		{Pattern: "POST /rate", Need: write, Handler: httpkit.Op(s.rate)},

		{Pattern: "GET /queue/items", Need: read, Handler: httpkit.Op(s.queueItems)},
		{Pattern: "POST /queue/add", Need: write, Handler: httpkit.Op(s.queueAdd)},
		{Pattern: "POST /queue/add-url", Need: streams, Handler: httpkit.Op(s.queueAddURL)},
		{Pattern: "POST /queue/replace", Need: write, Handler: httpkit.Op(s.queueReplace)},
		{Pattern: "POST /queue/remove", Need: write, Handler: httpkit.Op(s.queueRemove)},
		{Pattern: "POST /queue/move", Need: write, Handler: httpkit.Op(s.queueMove)},
		{Pattern: "POST /queue/clear", Need: write, Handler: httpkit.Op(done(s.player.Clear))},
		{Pattern: "POST /queue/undo", Need: write, Handler: httpkit.Op(done(s.player.Undo))},
		{Pattern: "POST /queue/jump", Need: write, Handler: httpkit.Op(s.queueJump)},
		{Pattern: "POST /queue/shuffle", Need: write, Handler: httpkit.Op(s.queueShuffle)},
		{Pattern: "POST /queue/priority", Need: write, Handler: httpkit.Op(s.queuePriority)},
		{Pattern: "GET /outputs", Need: read, Handler: httpkit.Op(s.outputs)},
		{Pattern: "POST /outputs", Need: write, Handler: httpkit.Op(s.setOutput)},

		{Pattern: "POST /identity", Need: public, Handler: httpkit.Op(s.identity)},
		{Pattern: "POST /pair", Need: public, Handler: httpkit.Op(s.pair)},
		{Pattern: "GET /pair", Need: keys, Handler: httpkit.Op(s.pairList)},
		{Pattern: "POST /pair/approve", Need: keys, Handler: httpkit.Op(s.pairApprove)},
		{Pattern: "POST /pair/deny", Need: keys, Handler: httpkit.Op(s.pairDeny)},
		{Pattern: "POST /pair/invite", Need: keys, Handler: httpkit.Op(s.pairInvite)},
		{Pattern: "GET /pair/invite/{request}", Need: keys, Handler: httpkit.Op(s.pairInvitation)},
		{Pattern: "POST /pair/phone", Need: keys, Handler: httpkit.Op(s.pairPhone)},
		{Pattern: "POST /pair/claim", Need: public, Handler: httpkit.OpStatus(s.pairClaim)},
		{Pattern: "POST /pair/cancel", Need: public, Handler: httpkit.Op(s.pairCancel)},

		{Pattern: "GET /token", Need: read, Handler: httpkit.Op(s.token)},
		{Pattern: "POST /token/revoke", Need: read, Handler: httpkit.Op(s.endToken)},
		{Pattern: "GET /tokens", Need: keys, Handler: httpkit.Op(s.tokens)},
		{Pattern: "POST /tokens", Need: keys, Handler: httpkit.Op(s.createToken)},
		{Pattern: "POST /tokens/revoke", Need: keys, Handler: httpkit.Op(s.revokeToken)},

		{Pattern: "GET /api/keys", Need: keys, Handler: s.proxyKeys},
		{Pattern: "POST /api/keys", Need: keys, Handler: s.proxyKeys},
		{Pattern: "DELETE /api/keys/{key_id}", Need: keys, Handler: s.proxyKeys},
		{Pattern: "POST /api/keys/{key_id}/rotate", Need: keys, Handler: s.proxyKeys},
		{Pattern: "GET /api/{path...}", Need: read, Kind: stream, Handler: s.proxy},
		{Pattern: "POST /api/{path...}", Need: write, Handler: s.proxy},
		{Pattern: "PUT /api/{path...}", Need: write, Handler: s.proxy},
		{Pattern: "PATCH /api/{path...}", Need: write, Handler: s.proxy},
		{Pattern: "DELETE /api/{path...}", Need: write, Handler: s.proxy},
		{Pattern: "GET /media/covers/{hash}", Need: public, Handler: s.catalog.forwardCover},
		{Pattern: "GET /media/songs/{song_id}", Need: public, Kind: stream, Handler: s.catalog.forwardSigned},
		{Pattern: "GET /media/{path...}", Need: read, Kind: stream, Handler: s.catalog.forward},

		{Pattern: "GET /ready", Need: read, Handler: httpkit.Op(s.ready)},
		{Pattern: "GET /metrics", Need: read, Kind: plain, Handler: httpkit.MetricsOf(s.cfg.AllMetrics)},
		{Pattern: "GET /openapi.yaml", Need: public, Kind: page, Handler: docs.Document},
		{Pattern: "GET /docs", Need: public, Kind: page, Handler: docs.Page},
		{Pattern: "GET /docs/console.js", Need: public, Handler: docs.Script},
		{Pattern: "GET /{$}", Need: public, Kind: page, Handler: web.Page("index.html")},
		{Pattern: "GET /overlay", Need: public, Kind: page, Handler: web.Page("overlay.html")},
		{Pattern: "GET /overlay/new", Need: public, Kind: page, Handler: web.Page("overlay-new.html")},
		{Pattern: "POST /overlay/problem", Need: public, Handler: httpkit.Op(s.overlayFailed)},
		{Pattern: "GET /web/{path...}", Need: public, Handler: web.ServeFile},
	}
}
