package app

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/user"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"waxwing/api/catalogapi"
	"waxwing/api/timestamp"
	"waxwing/client"
	"waxwing/internal/art"
	"waxwing/internal/audio/decode"
	"waxwing/internal/catalog"
	"waxwing/internal/cataloghttp"
	"waxwing/internal/demo"
	"waxwing/internal/httpkit"
	"waxwing/internal/library"
	"waxwing/internal/lyrics/lrclib"
	"waxwing/internal/scan"
	"waxwing/internal/spool"
	"waxwing/internal/subsonic"
	"waxwing/internal/transcode"
)

// catalogRole is the catalog, the scanner that fills it and the API over it.
type catalogRole struct {
	app       *App
	scanEvery time.Duration
	store     *catalog.Store
	scanner   *scan.Scanner
	listener  net.Listener
	server    http.Handler
	rest      http.Handler // the Subsonic API
	shared    bool         // other servers may use the same database
	remotes   []library.Remote
	redirect  bool       // see CatalogConfig.MediaRedirect
	probing   sync.Mutex // held while the storage is checked

	scanNow   chan struct{} // capacity 1: a scan that an app requested
	scanFull  atomic.Bool   // it reads all files
	requested atomic.Int32  // requested scans that have not ended

	jukeboxHTTP *http.Client          // nil: apps control no player
	jukebox     func() *client.Player // set before the first request is served; nil: no player

	playerKeyID string // set before the first request is served; "" if no player runs here
}

// CoverQuota is how many bytes scaled covers may take on disk.
const CoverQuota = 512 << 20

// burstFactor is how many seconds' worth of requests a key may send at once.
const burstFactor = 4

// openCatalog opens the database and the listener. Requests queue until run.
func (a *App) openCatalog(ctx context.Context, cfg CatalogConfig) (*catalogRole, error) {
	roots, err := cfg.roots()
	if err != nil {
		return nil, err
	}
	dir := a.cfg.DataDir
	unlock, err := dir.Lock("catalog")
	if err != nil {
		return nil, err
	}
	a.onRelease(unlock)
	r := &catalogRole{app: a, scanEvery: cfg.ScanEvery, redirect: cfg.MediaRedirect, scanNow: make(chan struct{}, 1)}
	if r.listener, err = a.listen(ctx, "catalog", "catalog-addr", cfg.Addr); err != nil {
		return nil, err
	}
	a.CatalogURL = "http://" + reachable(r.listener)
	a.noteWithoutHosts(r.listener.Addr(), "catalog-host", cfg.Hosts, cfg.PublicURL)
	db := cfg.DB
	if db == "" {
		db = dir.File(CatalogFile)
	}
	r.shared = catalog.Shared(db)
	r.store, err = dir.OpenCatalog(ctx, catalog.Config{
		DB: db, Replicas: cfg.Replicas, Log: a.log, Serves: true, Connections: cfg.Connections,
	})
	if err != nil {
		return nil, err
	}
	a.onRelease(r.closeStore)
	if _, err = r.store.EnsureUser(ctx, AccountName()); err != nil {
		return nil, fmt.Errorf("create the first user: %w", err)
	}
	lock := dir.ScanLock(r.store, func() { a.log.Info("another scan is running; the next one starts when it ends") })
	r.scanner = scan.New(r.store, roots, lock, a.log)
	r.scanner.FindRoots(func(name string) (library.Root, error) { return OpenRoot(name, cfg.S3) })
	pictures, err := art.Open(dir.File(CoversDir), CoverQuota, r.scanner.FindPicture)
	if err != nil {
		return nil, err
	}
	find, closeLyrics := cfg.findLyrics(a.cfg.Version)
	a.onRelease(closeLyrics)
	a.onRelease(pictures.Close)
	r.openJukebox(cfg.Jukebox)
	transcodes, err := a.openTranscodes(cfg)
	if err != nil {
		return nil, err
	}
	hosts, limits := cfg.Hosts, httpkit.NewRateLimits(r.store)
	r.server, err = cataloghttp.New(ctx, cataloghttp.Config{
		Catalog: r.store, BaseURL: cfg.PublicURL, Hosts: hosts, Version: a.cfg.Version,
		Rate: cfg.RateLimit, Burst: int(burstFactor * cfg.RateLimit), Limits: limits,
		OpenFile: r.openFile, OpenMedia: r.openMedia, Storage: r.storageProblem,
		Picture: pictures.Get, Transcodes: transcodes, FindLyrics: find, Scan: r.progress,
		StartScan: r.requestScan, Ready: a.ready,
		Apps:      appAddress(r.listener.Addr(), cfg.Hosts, cfg.PublicURL),
		PlayerKey: func() string { return r.playerKeyID }, MaxRequests: a.limits().Requests,
		Metrics: a.registry, Log: a.log, Audit: a.audit,
	})
	if err != nil {
		return nil, err
	}
	r.rest, err = subsonic.New(ctx, subsonic.Config{
		Catalog: r.store, PublicURL: cfg.PublicURL, Hosts: hosts, Version: a.cfg.Version,
		Rate: cfg.RateLimit, Burst: int(burstFactor * cfg.RateLimit), Limits: limits,
		OpenFile: r.openFile, OpenMedia: r.openMedia, Transcodes: transcodes, Jukebox: r.jukeboxPlayer,
		Picture: pictures.Get, Scan: func() bool { return r.progress().Running },
		StartScan: func() { r.requestScan(false) }, MaxRequests: a.limits().Requests,
		Metrics: a.registry, Log: a.log, Audit: a.audit,
	})
	if err != nil {
		return nil, err
	}
	measureScans(a.registry, r.scanner)
	r.remotes = remotes(roots)
	measureStorage(a.registry, r.remotes)
	a.onRelease(func() {
		for _, remote := range r.remotes {
			remote.Close()
		}
	})
	measurePools(a.registry, r.store)
	measureReplicas(a.registry, r.store)
	if err := dir.announce(ServingFile, Serving{Catalog: reachable(r.listener), PID: os.Getpid()}); err != nil {
		return nil, err
	}
	a.onRelease(func() { _ = os.Remove(dir.File(ServingFile)) }) // a stale one does no harm: its port is closed
	return r, nil
}

// openTranscodes returns what converts audio, nil if that is not configured.
func (a *App) openTranscodes(cfg CatalogConfig) (*transcode.Store, error) {
	if cfg.TranscodeCache == 0 {
		return nil, nil //nolint:nilnil // an optional part
	}
	dir := a.cfg.DataDir.File(TranscodesDir)
	s, err := transcode.Open(transcode.Config{
		Dir: dir, Quota: cfg.TranscodeCache, Free: func() (int64, bool) { return spool.FreeSpace(dir) },
		Decode: decode.Options{NoExternal: cfg.NoFFmpeg}, Metrics: a.registry, Log: a.log,
	})
	if err != nil {
		return nil, err
	}
	a.onRelease(s.Close)
	return s, nil
}

// findLyrics returns what looks up lyrics, nil if that is not configured, and what ends it.
func (cfg CatalogConfig) findLyrics(version string) (find cataloghttp.FindLyrics, end func()) {
	if cfg.LyricsURL == "" {
		return nil, func() {}
	}
	server := lrclib.New(cfg.LyricsURL, version)
	return server.Find, server.Close
}

// roots returns the music folders, or the demo library.
func (cfg CatalogConfig) roots() ([]library.Root, error) {
	if len(cfg.Music) == 0 {
		return []library.Root{DemoLibrary()}, nil
	}
	var roots []library.Root
	for _, name := range cfg.Music {
		root, err := OpenRoot(name, cfg.S3)
		if err != nil {
			return nil, settingError("music", "--music: %v", err)
		}
		roots = append(roots, root)
	}
	return roots, nil
}

// DemoLibrary is the built-in music.
func DemoLibrary() library.Root { return library.NewEmbedded("demo", demo.FS()) }

// AccountName is the name given to the first user: that of the operating system's account.
func AccountName() string {
	if u, err := user.Current(); err == nil {
		if name, _, _ := strings.Cut(u.Name, ","); strings.TrimSpace(name) != "" {
			return strings.TrimSpace(name)
		}
		if u.Username != "" {
			return u.Username
		}
	}
	return "listener"
}

func (r *catalogRole) openFile(ctx context.Context, ref catalog.FileRef) (io.ReadSeekCloser, time.Time, error) {
	t, err := r.scanner.OpenFile(ctx, ref)
	if err != nil {
		return nil, time.Time{}, err
	}
	return t.ReadSeekCloser, t.ModTime, nil // the *os.File itself, so that net/http can use sendfile
}

// progress converts the scanner's progress to the API's form.
func (r *catalogRole) progress() catalogapi.Scan {
	waiting := r.requested.Load() > 0 // before the progress: a scan that ends between them is in it
	p := r.scanner.Progress()
	if waiting && !p.Running() { // it begins soon
		p = scan.Progress{Phase: scan.Listing, Started: p.Started}
	}
	out := catalogapi.Scan{
		Running: p.Running(), FilesFound: int(p.Total), FilesDone: int(p.Done), Problems: int(p.Problems),
		SongsAdded: int(p.Added), SongsChanged: int(p.Changed), SongsMissing: int(p.Missing),
	}
	if !p.Started.IsZero() {
		at := timestamp.At(p.Started)
		out.StartedAt = &at
	}
	if !p.Finished.IsZero() {
		at := timestamp.At(p.Finished)
		out.FinishedAt = &at
	}
	if p.Running() && p.ETA > 0 {
		left := p.ETA.Seconds()
		out.SecondsLeft = &left
	}
	return out
}

// run scans and serves until ctx is done.
func (r *catalogRole) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { // servers that share a database elect the one that scans
		r.warnUnnamed(ctx, "the catalog has songs from a folder that is not configured on this server, so it cannot "+
			"play them; configure the same folders on all servers")
		return r.store.Lead(ctx, func(ctx context.Context) error {
			r.warnUnnamed(ctx, "this server now scans the music folders, but not this one, and keeps its songs; "+
				"configure the folder here, or remove its songs with “waxwing scan --forget”")
			return r.scanner.Run(ctx, scan.Schedule{Every: r.scanEvery, Watch: true, Forget: r.forgets})
		})
	})
	g.Go(func() error { return r.scanOnRequest(ctx) })
	g.Go(func() error {
		return httpkit.Serve(ctx, r.listener, httpkit.Drain(r.app.draining, http.HandlerFunc(r.serve)), r.app.log)
	})
	return g.Wait()
}

// forgets reports whether the songs of a folder that this server does not name are removed. Over a
// database of its own they are. Where servers share one, a server configured with the wrong folders
// must not empty the catalog, so only the demo library is removed.
func (r *catalogRole) forgets(root string) bool { return !r.shared || root == DemoLibrary().Name() }

// warnUnnamed logs every folder of the catalog that this server does not name and keeps.
func (r *catalogRole) warnUnnamed(ctx context.Context, message string) {
	names, err := r.scanner.UnconfiguredRoots(ctx)
	if err != nil {
		r.app.log.Debug("cannot list the folders of the catalog", "err", err)
	}
	for _, name := range names {
		if !r.forgets(name) {
			r.app.log.Warn(message, "folder", name)
		}
	}
}

// requestScan starts a scan soon, or a full one. Requests until then are one.
func (r *catalogRole) requestScan(full bool) {
	if full {
		r.scanFull.Store(true)
	}
	r.requested.Add(1)
	select {
	case r.scanNow <- struct{}{}:
	default:
		r.requested.Add(-1) // the one that waits is for this request too
	}
}

// scanOnRequest runs the scans that apps request, until ctx is done.
func (r *catalogRole) scanOnRequest(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.scanNow:
		}
		full := r.scanFull.Swap(false)
		_, err := r.scanner.Scan(ctx, scan.Options{Forget: r.forgets, Full: full})
		r.requested.Add(-1)
		if err != nil && ctx.Err() == nil {
			r.app.log.Error("the scan that an app requested failed", "err", err)
		}
	}
}

// serve passes requests to the API that they are for. It hides /metrics when the operator has a
// listener for it: the path then does not exist.
func (r *catalogRole) serve(w http.ResponseWriter, req *http.Request) {
	isOwnPage := req.URL.Path == "/" && len(req.Header["Origin"]) == 0 // else an app that looks for a server
	if subsonic.Serves(req.URL.Path) && !isOwnPage {
		r.rest.ServeHTTP(w, req)
		return
	}
	if r.app.operator != nil && req.URL.Path == "/metrics" {
		req = req.Clone(req.Context())
		req.URL.Path = "/nothing"
	}
	r.server.ServeHTTP(w, req)
}

func (r *catalogRole) closeStore() {
	if err := r.store.Close(); err != nil {
		r.app.log.Warn("the catalog did not close cleanly", "err", err)
	}
}
