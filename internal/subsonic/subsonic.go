// Package subsonic serves the Subsonic API with the extensions of OpenSubsonic, under /rest of the
// catalog's address. Apps that speak it log in with a key of their own.
package subsonic

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/client"
	"waxwing/internal/art"
	"waxwing/internal/audit"
	"waxwing/internal/catalog"
	"waxwing/internal/httpkit"
	"waxwing/internal/transcode"
)

// Prefix begins the paths of the API.
const Prefix = "/rest/"

// connectPath is the page that shows the login of an app.
const connectPath = "/connect"

// Serves reports whether a path is for this server.
func Serves(path string) bool {
	return path == "/" || path == connectPath || strings.HasPrefix(path, Prefix)
}

// Config configures the server. Hosts, PublicURL, Limits, Transcodes, Jukebox, Scan, StartScan and
// Audit are optional.
type Config struct {
	Catalog   *catalog.Store
	Hosts     []string // accepted host names besides the loopback ones
	PublicURL string   // at which a proxy serves the catalog
	Version   string

	// Rate (requests per second) and Burst limit ordinary keys without limits of their own. Rate 0: no
	// key is limited. Limits counts the requests.
	Rate   float64
	Burst  int
	Limits *httpkit.RateLimits

	// OpenFile opens the audio file of a song and returns its modification time. A missing file is a
	// NotFound fault.
	OpenFile func(ctx context.Context, file catalog.FileRef) (io.ReadSeekCloser, time.Time, error)
	// Transcodes converts audio to other formats. Nil: the original files only.
	Transcodes *transcode.Store
	// Jukebox returns the player that apps control in their jukebox mode, or nil. Nil: there is none.
	Jukebox func() *client.Player
	// OpenMedia opens the audio file of a song for a client, or says where the client gets it. Nil:
	// OpenFile does.
	OpenMedia func(r *http.Request, file catalog.FileRef, contentType string) (httpkit.File, error)
	// Picture returns a cover.
	Picture func(ctx context.Context, r art.Request) (art.Image, error)
	// Scan returns whether a scan runs. Nil: no scans run.
	Scan func() bool
	// StartScan requests a scan of the music folders. Nil: that is not possible.
	StartScan func()

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
	covers  art.Names
	cache   *cache
	plays   httpkit.PlayCounts
	rolls   rolls
	changes changes
	playing nowPlaying
	scans   scanRequests
	media   map[string]bool // paths whose replies have no envelope
}

// New returns the handler of /rest and of the pages for apps.
func New(ctx context.Context, cfg Config) (http.Handler, error) {
	secret, err := cfg.Catalog.SigningKey(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the signing key: %w", err)
	}
	covers, err := art.NewNames(secret)
	if err != nil {
		return nil, err
	}
	if cfg.Limits == nil {
		cfg.Limits = httpkit.NewRateLimits(cfg.Catalog)
	}
	if cfg.OpenMedia == nil {
		cfg.OpenMedia = httpkit.OpenedBy(cfg.OpenFile)
	}
	s := &server{
		cfg: cfg, store: cfg.Catalog, covers: covers, cache: newCache(cfg.Metrics),
		plays: httpkit.NewPlayCounts(cfg.Metrics), media: make(map[string]bool),
	}
	routes := s.routes()
	rest := httpkit.New(httpkit.Config{
		Name: "subsonic", Version: cfg.Version, Hosts: cfg.Hosts, PublicURL: cfg.PublicURL, HostSetting: "catalog-host",
		Challenge: `Subsonic realm="waxwing"`, AnyOrigin: true, Failure: s.failure,
		Log: cfg.Log, Metrics: cfg.Metrics, Audit: cfg.Audit, RequestsPerCredential: cfg.MaxRequests,
		Authenticate: s.authenticate,
	}, routes)
	return withoutSuffix(rest), nil
}

// withoutSuffix serves /rest/NAME.view as /rest/NAME, so that each endpoint is one route.
func withoutSuffix(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if short, ok := strings.CutSuffix(r.URL.Path, ".view"); ok && r.URL.RawPath == "" {
			copied, u := *r, *r.URL
			u.Path = short
			copied.URL = &u
			r = &copied
		}
		next.ServeHTTP(w, r)
	})
}

// isMedia reports whether the replies of a path are files, not envelopes.
func (s *server) isMedia(path string) bool { return s.media[path] }
