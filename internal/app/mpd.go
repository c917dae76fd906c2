package app

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"waxwing/internal/access"
	"waxwing/internal/mpd"
	"waxwing/internal/ownersocket"
)

// MPDConfig configures the listeners for clients of the Music Player Daemon.
type MPDConfig struct {
	Addr     string // HOST:PORT to listen on
	Socket   string // path of a Unix socket for this account; "": none
	OpenRead bool   // clients without a password may read
}

// mpdServer is the server with its listeners.
type mpdServer struct {
	server   *mpd.Server
	listener net.Listener
	socket   net.Listener // nil: none
}

// openMPD opens the listeners for MPD clients, if they are configured.
func (a *App) openMPD(
	ctx context.Context, cfg *MPDConfig, r *playerRole, owner func(context.Context) access.Token,
) (*mpdServer, error) {
	if cfg == nil {
		return nil, nil //nolint:nilnil // not configured
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.Addr)
	if err != nil {
		return nil, settingError("mpd-addr", "cannot listen on %s: %v; if MPD is running there, stop it or choose another "+
			"port with --mpd-addr", cfg.Addr, err)
	}
	a.onRelease(func() { _ = ln.Close() }) // already closed after a run
	m := &mpdServer{listener: ln}
	a.MPDAddr = reachable(ln)
	if cfg.Socket != "" {
		m.socket = a.listenMPDSocket(cfg.Socket)
	}
	m.server, err = mpd.New(mpd.Config{
		Player: r.player, Catalog: r.catalog, Tokens: r.tokens, Owner: owner, OpenRead: cfg.OpenRead,
		StickerFile: a.cfg.DataDir.File(StickersFile), Metrics: a.playing, Log: a.log, Audit: a.audit,
	})
	return m, err
}

// listenMPDSocket opens the socket for MPD clients of this account, unless another player has it.
func (a *App) listenMPDSocket(path string) net.Listener {
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		_ = c.Close()
		a.log.Warn("another player has the socket for MPD clients; use the port", "socket", path)
		return nil
	}
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	var ln net.Listener
	if err == nil {
		ln, err = ownersocket.Listen(path)
	}
	if err != nil {
		if !errors.Is(err, errors.ErrUnsupported) {
			a.log.Warn("cannot create the socket for MPD clients; use the port", "err", err)
		}
		return nil
	}
	a.onRelease(func() { _ = ln.Close() }) // already closed after a run
	a.MPDSocket = path
	return ln
}

// run serves MPD clients until ctx is done.
func (m *mpdServer) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return m.server.Run(ctx) })
	g.Go(func() error { return m.server.Serve(ctx, m.listener, false) })
	if m.socket != nil {
		g.Go(func() error { return m.server.Serve(ctx, m.socket, true) })
	}
	return g.Wait()
}
