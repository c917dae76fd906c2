// Package mpd lets clients of the Music Player Daemon control the player, over its text protocol.
//
// The password of a connection is a token of the control API, so that a client has exactly the
// permissions of that token, and loses them with it. The queue is the player's, songs and playlists
// are the catalog's: the library is read through the catalog API when a client needs it, and
// dropped when no client has needed it for a while.
package mpd

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/client"
	"waxwing/internal/access"
	"waxwing/internal/audit"
	"waxwing/internal/player"
	"waxwing/internal/statefile"
)

// maxConnections limits the clients of each listener, as in MPD.
const maxConnections = 100

// Config configures the server. Audit is optional.
type Config struct {
	Player  *player.Player
	Catalog *client.Catalog
	Tokens  *access.Store
	// Owner returns the owner's token, for clients of the owner's socket.
	Owner func(context.Context) access.Token
	// OpenRead lets clients without a password read.
	OpenRead bool
	// StickerFile stores stickers that the catalog has no place for.
	StickerFile string
	Disk        statefile.Disk // for StickerFile; nil: the system's
	Metrics     prometheus.Registerer
	Log         *slog.Logger
	Audit       *audit.Log
}

// Server serves MPD clients on any number of listeners.
type Server struct {
	cfg       Config
	hub       hub
	songs     *songs
	playlists *playlists
	stickers  *stickers
	channels  channels
	updates   updates
	failures  failures
	metrics   metrics
	picture   lastPicture
	started   time.Time
	ctx       context.Context // of Run

	mu       sync.Mutex
	sessions map[*session]bool // of all listeners
	present  chan struct{}     // capacity 1: a client has connected
	clients  atomic.Int64
	heard    atomic.Int64 // nanoseconds of playback, up to the last change
}

// New returns a server without listeners.
func New(cfg Config) (*Server, error) {
	if cfg.Disk == nil {
		cfg.Disk = statefile.System
	}
	s := &Server{
		cfg: cfg, hub: hub{sessions: map[*session]bool{}}, sessions: map[*session]bool{},
		present: make(chan struct{}, 1), started: time.Now(), metrics: newMetrics(cfg.Metrics),
	}
	s.songs = newSongs(cfg.Catalog)
	s.playlists = newPlaylists(cfg.Catalog)
	s.channels.open = map[string]map[*session]bool{}
	var err error
	if s.stickers, err = openStickers(cfg.Disk, cfg.StickerFile); err != nil {
		return nil, err
	}
	return s, nil
}

// Run follows the player and the catalog until ctx is done.
func (s *Server) Run(ctx context.Context) error {
	s.ctx = ctx
	var tasks sync.WaitGroup
	tasks.Go(func() { s.followPlayer(ctx) })
	tasks.Go(func() { s.followCatalog(ctx) })
	tasks.Go(func() { s.songs.expire(ctx) })
	tasks.Wait()
	return nil
}

// Serve accepts clients on ln until ctx is done. Those of the owner's socket need no password.
func (s *Server) Serve(ctx context.Context, ln net.Listener, owner bool) error {
	ctx, cancel := context.WithCancel(ctx)
	var open sync.WaitGroup
	stop := context.AfterFunc(ctx, func() { _ = ln.Close() })
	defer func() {
		cancel()
		stop()
		open.Wait()
	}()
	for {
		conn, err := ln.Accept()
		if ctx.Err() != nil {
			if err == nil {
				_ = conn.Close()
			}
			return nil
		}
		if errors.Is(err, net.ErrClosed) {
			return err
		}
		if err != nil { // such as too many open files
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
			continue
		}
		c := newSession(s, conn, owner)
		if owner {
			t := s.cfg.Owner(ctx)
			c.caller = caller{id: t.ID, name: t.Name, permissions: t.Permissions}
		} else if s.cfg.OpenRead {
			c.caller.permissions = access.Read
		}
		if !s.enter(c) {
			s.metrics.refused.Inc()
			_ = conn.Close()
			continue
		}
		open.Go(func() { c.run(ctx) })
	}
}

// enter counts a session. If there are too many, one without a password makes room; the result is
// false if there is none.
func (s *Server) enter(c *session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := 0
	var stranger *session
	for other := range s.sessions {
		if other.local != c.local {
			continue
		}
		of++
		if !other.known.Load() && (stranger == nil || other.begun.Before(stranger.begun)) {
			stranger = other
		}
	}
	if of >= maxConnections {
		if stranger == nil || s.cfg.OpenRead {
			return false
		}
		s.metrics.refused.Inc()
		_ = stranger.conn.Close()
		delete(s.sessions, stranger)
	}
	s.sessions[c] = true
	if s.clients.Add(1) == 1 {
		select {
		case s.present <- struct{}{}:
		default:
		}
	}
	return true
}

// playtime is how long the player has played since the start.
func (s *Server) playtime() time.Duration {
	heard := time.Duration(s.heard.Load())
	if st := s.cfg.Player.Status(); st.Running {
		heard += time.Since(st.SampledAt)
	}
	return heard
}

// leave ends the count of a session and what it had subscribed to.
func (s *Server) leave(c *session) {
	s.mu.Lock()
	delete(s.sessions, c)
	s.mu.Unlock()
	s.clients.Add(-1)
	if s.channels.leave(c) {
		s.hub.notify(eventSubscription)
	}
}
