// Package app runs the roles of Waxwing in one process: the catalog with its scanner and API, the
// player with its control API, and the operator's listener. [Up] starts what a [Config] names and
// returns once requests are served; canceling its context starts a graceful shutdown, and
// [App.Wait] returns when that is complete. The package has no global state, so that a test can run
// several servers in one process, each with its own data folder and with port 0.
package app

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/audit"
	"waxwing/internal/library/s3"
	"waxwing/internal/player"
	"waxwing/internal/sdnotify"
)

// Config says what one process runs. At least one of Catalog and Player is set.
type Config struct {
	Version     string
	DataDir     DataDir
	AuditFile   string // "": no audit log
	MetricsAddr string // of the operator's listener; "": no such listener
	// MaxConnections bounds the connections of each listener; 0: derived from the limit of open files.
	MaxConnections int
	Drain          time.Duration  // how long to serve, but not be ready, after the context is done
	Catalog        *CatalogConfig // nil: no catalog in this process
	Player         *PlayerConfig  // nil: no player in this process
	Notify         sdnotify.Manager
	Log            *slog.Logger
}

// CatalogConfig configures the catalog role.
type CatalogConfig struct {
	Addr        string   // HOST:PORT to listen on
	Hosts       []string // further host names the API replies to
	PublicURL   string   // of a proxy in front, and prefix of URLs in replies; "": the client's name for it
	DB          string   // SQLite file or PostgreSQL URL; "": catalog.db in the data folder
	Replicas    []string // URLs of read-only copies of a PostgreSQL database
	Connections int      // limit of connections to PostgreSQL; 0: the default
	Music       []string // folders; none: the built-in demo library
	// S3 says how to reach the buckets in Music, those that begin with s3://.
	S3 s3.Config
	// MediaRedirect replies to requests for songs in buckets with a URL of the storage.
	MediaRedirect bool
	ScanEvery     time.Duration
	RateLimit     float64 // requests a second for each key; 0: no limit
	LyricsURL     string  // of a server with the API of LRCLIB; "": lyrics are not looked up
	// TranscodeCache is the disk space of converted audio, in bytes; 0: nothing is converted.
	TranscodeCache int64
	NoFFmpeg       bool
	// Jukebox is the player that apps of the Subsonic API control. The zero value is the player of the
	// same process, if there is one.
	Jukebox Jukebox
}

// PlayerConfig configures the player role. CatalogURL and CatalogKey are ignored when the same
// process runs the catalog.
type PlayerConfig struct {
	Addr       string          // HOST:PORT to listen on
	Hosts      []string        // further host names the API replies to
	PublicURL  string          // at which a proxy serves the API; "": none
	Output     string          // as in --output; "": auto
	Gain       player.GainMode // "": auto
	SpoolLimit int64           // bytes of disk space for buffered tracks; 0: the default
	NoFFmpeg   bool
	// StreamAllow are addresses outside of the public internet that the player may play from.
	StreamAllow []netip.Prefix
	NoMPRIS     bool
	CatalogURL  string
	CatalogKey  string
	MPD         *MPDConfig // nil: MPD clients cannot connect
}

// App is a running process of Waxwing. The URLs are those at which this machine reaches it, and
// empty for what does not run.
type App struct {
	PlayerURL  string
	RemoteURL  func() string // at which other machines reach the player; "" if none does
	CatalogURL string
	MetricsURL string
	MPDAddr    string // HOST:PORT for MPD clients
	MPDSocket  string // path of the socket for them

	cfg      Config
	log      *slog.Logger
	audit    *audit.Log           // nil: none
	registry *prometheus.Registry // of the process, the catalog and the operator's listener
	playing  *prometheus.Registry // of the player, which not everybody may see
	operator net.Listener         // nil: none
	draining context.Context      // done: no longer ready
	serving  context.Context      // done: stop
	catalog  *catalogRole         // nil: none
	player   *playerRole          // nil: none
	cleanup  []func()             // in the order of acquisition

	done chan struct{}
	err  error // valid once done is closed
}

// Up starts what cfg names. When it returns without an error, requests to the URLs of the App are
// served until ctx is done or a role fails.
func Up(ctx context.Context, cfg Config) (*App, error) {
	a := &App{cfg: cfg, log: cfg.Log, registry: newRegistry(cfg.Version), playing: prometheus.NewRegistry(),
		done: make(chan struct{})}
	if err := a.open(ctx); err != nil {
		a.release()
		return nil, err
	}
	go func() {
		defer close(a.done)
		defer a.release()
		a.err = a.run()
	}()
	return a, nil
}

// Wait returns when everything has stopped: nil after a graceful shutdown, else the first error.
func (a *App) Wait() error {
	<-a.done
	return a.err
}

// open acquires everything that can fail before the first request is served.
// FreeMemory returns memory that is not in use to the system.
func (a *App) FreeMemory() {
	if a.catalog != nil {
		a.catalog.store.CloseIdle()
	}
	debug.FreeOSMemory()
}

func (a *App) open(ctx context.Context) (err error) {
	if err = a.cfg.DataDir.Create(); err != nil {
		return err
	}
	if err = a.openAudit(); err != nil {
		return err
	}
	if err = a.openOperator(ctx); err != nil {
		return err
	}
	a.planShutdown(ctx)
	if a.cfg.Catalog != nil {
		if a.catalog, err = a.openCatalog(ctx, *a.cfg.Catalog); err != nil {
			return err
		}
	}
	if a.cfg.Player != nil {
		cfg := *a.cfg.Player
		if a.catalog != nil {
			cfg.CatalogURL = a.CatalogURL
			if cfg.CatalogKey, err = a.catalog.playerKey(ctx, a.cfg.DataDir.File(PlayerKeyFile)); err != nil {
				return err
			}
		}
		a.player, err = a.openPlayer(ctx, cfg)
		if err == nil && a.catalog != nil {
			a.catalog.offerJukebox()
		}
	}
	return err
}

// onRelease registers what gives a resource back; the last one registered runs first.
func (a *App) onRelease(f func()) { a.cleanup = append(a.cleanup, f) }

func (a *App) release() {
	for i := len(a.cleanup) - 1; i >= 0; i-- {
		a.cleanup[i]()
	}
}
