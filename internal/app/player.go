package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"waxwing/api/catalogapi"
	"waxwing/api/playerapi"
	"waxwing/client"
	"waxwing/internal/access"
	"waxwing/internal/audio/decode"
	"waxwing/internal/audio/output"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
	"waxwing/internal/mpris"
	"waxwing/internal/player"
	"waxwing/internal/playerhttp"
	"waxwing/internal/statefile"
	"waxwing/internal/stream"
)

// playerRole is the player and its control API. Its catalog may be anywhere.
type playerRole struct {
	app      *App
	mpris    bool
	listener net.Listener
	control  net.Listener // nil: none
	catalog  *client.Catalog
	library  player.Remote
	player   *player.Player
	plays    *player.Plays
	tokens   *access.Store
	server   http.Handler
	mpd      *mpdServer // nil: none
}

// openPlayer opens the listener, the output and the files of the player. Requests queue until run.
func (a *App) openPlayer(ctx context.Context, cfg PlayerConfig) (*playerRole, error) {
	base, err := url.Parse(cfg.CatalogURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, settingError("catalog", "--catalog must be the URL of a catalog, for example http://127.0.0.1:7845")
	}
	dir := a.cfg.DataDir
	unlock, err := dir.Lock("player")
	if err != nil {
		return nil, err
	}
	a.onRelease(unlock)
	r := &playerRole{app: a, mpris: !cfg.NoMPRIS, catalog: catalogClient(cfg)}
	if r.listener, err = a.listen(ctx, "player", "player-addr", cfg.Addr); err != nil {
		return nil, err
	}
	a.PlayerURL = "http://" + reachable(r.listener)
	a.RemoteURL = func() string { return cmp.Or(cfg.PublicURL, lanURL(r.listener.Addr())) }
	a.noteWithoutHosts(r.listener.Addr(), "player-host", cfg.Hosts, cfg.PublicURL)
	out, err := output.New(cfg.Output, a.log)
	if err != nil {
		return nil, settingError("output", "--output: %v", err)
	}
	if c, ok := out.(io.Closer); ok {
		a.onRelease(func() { _ = c.Close() }) // a file output completes its header; the samples are written already
	}
	if r.tokens, err = access.Open(dir.File(TokensFile), a.log); err != nil {
		return nil, err
	}
	owner := &ownerToken{tokens: r.tokens, file: dir.File(OwnerTokenFile), audit: a.audit, log: a.log}
	if err := owner.ensure(ctx); err != nil {
		return nil, err
	}
	spool, err := dir.emptySpool()
	if err != nil {
		return nil, err
	}
	if r.plays, err = player.NewPlays(r.catalog, statefile.System, dir.File(PlaysFile), a.log); err != nil {
		return nil, err
	}
	decoders := decode.Options{NoExternal: cfg.NoFFmpeg}
	r.library = player.Remote{
		Catalog: r.catalog, Decoders: decoders, SpoolDir: spool, SpoolLimit: cfg.SpoolLimit, Log: a.log,
	}
	streams := stream.New(stream.Config{
		Policy: stream.Policy{Allow: cfg.StreamAllow}, Decoders: r.library.BoundedDecoders, SpoolDir: spool,
		SpoolLimit: r.library.BufferLimit, Version: a.cfg.Version, Log: a.log,
	})
	r.player, err = player.New(player.Config{
		Streams: streams, StreamCover: cmp.Or(cfg.PublicURL, a.PlayerURL) + "/web/icon.svg",
		Output:    out,
		Library:   r.library,
		Personal:  r.library,
		StateFile: dir.File(JournalFile),
		Gain:      cmp.Or(cfg.Gain, player.GainAuto),
		Played:    r.plays.Add,
		Log:       a.log,
	})
	if err != nil {
		return nil, err
	}
	measurePlayer(a.playing, r.player, r.plays)
	r.server = playerhttp.New(playerhttp.Config{
		Player: r.player, Tokens: r.tokens, Owner: owner.current, Addr: r.listener.Addr(), Hosts: cfg.Hosts,
		PublicURL: cfg.PublicURL, RemoteURL: a.RemoteURL, Version: a.cfg.Version,
		Profile: r.profile, Ready: r.ready, CatalogURL: base, CatalogKey: cfg.CatalogKey,
		CatalogKeys:      r.keys,
		CatalogRevisions: r.revisions,
		Lyrics:           r.library.Lyrics,
		MaxRequests:      a.limits().Requests,
		Metrics:          a.playing, AllMetrics: a.allMetrics(), Log: a.log, Audit: a.audit,
	})
	if r.mpd, err = a.openMPD(ctx, cfg.MPD, r, owner.current); err != nil {
		return nil, err
	}
	r.control = a.listenControl()
	running := Running{Player: reachable(r.listener), Socket: r.control != nil, MPD: a.MPDAddr, PID: os.Getpid()}
	if err := dir.announce(RunningFile, running); err != nil {
		return nil, err
	}
	a.onRelease(func() { _ = os.Remove(dir.File(RunningFile)) }) // a stale one does no harm: its port is closed
	return r, nil
}

// run plays and serves until ctx is done.
func (r *playerRole) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return r.player.Run(ctx) })
	g.Go(func() error { return r.plays.Run(ctx) })
	g.Go(func() error { return r.tokens.Run(ctx) })
	g.Go(func() error {
		return httpkit.Serve(ctx, r.listener, httpkit.Drain(r.app.draining, r.server), r.app.log)
	})
	if r.control != nil {
		g.Go(func() error {
			return httpkit.ServeOwner(ctx, r.control, httpkit.Drain(r.app.draining, r.server), r.app.log)
		})
	}
	if r.mpd != nil {
		g.Go(func() error { return r.mpd.run(ctx) })
	}
	if r.mpris {
		g.Go(func() error { return mpris.Run(ctx, r.player, r.library.Lyrics, r.app.log) })
	}
	err := g.Wait()
	r.catalog.HTTP.CloseIdleConnections()
	return err
}

func (r *playerRole) ready(ctx context.Context) error {
	if err := r.app.ready(); err != nil {
		return err
	}
	if err := r.catalogReady(ctx); err != nil {
		return err
	}
	if _, err := r.catalog.Me(ctx); client.StatusOf(err) == http.StatusUnauthorized {
		return fault.WrapCode(fault.Unavailable, fault.CatalogUnavailable, err,
			"the catalog does not accept the player's key; restart the player, or give it another key")
	}
	return nil
}

// keys lists the keys that the player's key may manage.
func (r *playerRole) keys(ctx context.Context) ([]catalogapi.Key, error) {
	keys, err := r.catalog.Keys(ctx)
	switch client.StatusOf(err) {
	case http.StatusForbidden:
		return nil, fault.Wrap(fault.Forbidden, err, "the player's key may not manage keys; run waxwing key where the "+
			"catalog runs")
	case http.StatusUnauthorized:
		return nil, fault.WrapCode(fault.Unavailable, fault.CatalogUnavailable, err,
			"the catalog does not accept the player's key")
	}
	if err != nil {
		return nil, fault.WrapCode(fault.Unavailable, fault.CatalogUnavailable, err,
			"the catalog cannot be reached; check that it is running")
	}
	return keys, nil
}

// catalogReady returns an Unavailable fault if the catalog cannot serve requests.
func (r *playerRole) catalogReady(ctx context.Context) error {
	if err := r.catalog.Ready(ctx); err != nil {
		return fault.WrapCode(fault.Unavailable, fault.CatalogUnavailable, err, "%s", err)
	}
	return nil
}

// revisions follows the revision of the catalog. A catalog too old to report it counts as
// reachable.
func (r *playerRole) revisions(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for revision, err := range r.catalog.Revisions(ctx) {
			if client.StatusOf(err) == http.StatusNotFound || !yield(revision.Revision, err) {
				return
			}
		}
	}
}

// profile returns the public profile of the user whose key the player has.
func (r *playerRole) profile(ctx context.Context) (playerapi.PublicUser, error) {
	u, err := r.catalog.Me(ctx)
	if err != nil {
		return playerapi.PublicUser{}, err
	}
	return playerapi.PublicUser{ID: u.ID, Username: u.Username, Name: u.Name, ProfileImageURL: u.ProfileImageURL}, nil
}

func catalogClient(cfg PlayerConfig) *client.Catalog {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = nil // a proxy would receive the key
	t.MaxIdleConnsPerHost = 4
	t.ResponseHeaderTimeout = 20 * time.Second // for a network that drops packets silently
	t.MaxResponseHeaderBytes = 64 << 10
	return &client.Catalog{BaseURL: cfg.CatalogURL, Key: cfg.CatalogKey, HTTP: &http.Client{Transport: t}}
}

// emptySpool creates the folder in which tracks are buffered, without the files of a crashed
// process.
func (d DataDir) emptySpool() (string, error) {
	dir := d.File(SpoolDir)
	if err := os.RemoveAll(dir); err != nil {
		return "", fmt.Errorf("empty the spool folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("create the spool folder: %w", err)
	}
	return dir, nil
}
