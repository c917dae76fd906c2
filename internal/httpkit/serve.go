package httpkit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// drainTime is how long requests that are being answered get once the server must stop.
const drainTime = 5 * time.Second

// Serve answers on ln until ctx is done. Then it takes no new request, ends the streams,
// lets the answers under way finish, and returns nil.
func Serve(ctx context.Context, ln net.Listener, h http.Handler, log *slog.Logger) error {
	drain, endStreams := context.WithCancel(context.Background())
	defer endStreams()
	base := context.WithValue(context.WithoutCancel(ctx), drainKey{}, drain)
	srv := &http.Server{
		Handler:           h,
		BaseContext:       func(net.Listener) context.Context { return base },
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second, // of a body; the wait for an answer is not bounded by it
		WriteTimeout:      writeWindow,      // renewed by each write: see reply
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
	}
	silent := silentConns{open: make(map[net.Conn]bool)}
	srv.ConnState = silent.note
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	endStreams()
	silent.close()
	limit, cancel := context.WithTimeout(base, drainTime)
	defer cancel()
	err := srv.Shutdown(limit)
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close()
	}
	<-served
	return err
}

// silentConns are connections on which no request has come yet. A server that stops would wait seconds for
// them, though nobody is owed an answer there.
type silentConns struct {
	mu   sync.Mutex
	open map[net.Conn]bool
}

func (s *silentConns) note(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == http.StateNew {
		s.open[c] = true
		return
	}
	delete(s.open, c)
}

func (s *silentConns) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		_ = c.Close() // nothing was said on it
	}
}
