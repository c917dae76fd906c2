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

// drainTime is how long replies in progress may take once the server stops, audio included.
const drainTime = 5 * time.Second

// Serve serves h on ln until ctx is done. Then it accepts no new requests, ends event streams (see
// [Stopping]), waits up to drainTime for the other replies and returns nil.
func Serve(ctx context.Context, ln net.Listener, h http.Handler, log *slog.Logger) error {
	stopping, announce := context.WithCancel(context.Background())
	defer announce()
	drained, endStreams := context.WithCancel(context.Background())
	defer endStreams()
	base := context.WithValue(context.WithoutCancel(ctx), stoppingKey{}, stopping)
	base = context.WithValue(base, drainedKey{}, drained)
	srv := &http.Server{
		Handler:     h,
		BaseContext: func(net.Listener) context.Context { return base },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second, // of a body; it does not limit the wait for a reply
		WriteTimeout:      writeWindow,      // extended by each write: see reply
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,

		DisableGeneralOptionsHandler: true, // it would reply to any Host
	}
	unused := unusedConns{open: make(map[net.Conn]bool)}
	srv.ConnState = unused.track
	served := make(chan error, 1)
	go func() { served <- srv.Serve(listener{ln}) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	announce()
	unused.close()
	limit, cancel := context.WithTimeout(base, drainTime)
	defer cancel()
	err := srv.Shutdown(limit)
	if errors.Is(err, context.DeadlineExceeded) {
		endStreams()
		err = srv.Close()
	}
	<-served
	return err
}

// Stopping returns a channel that is closed when the server begins to stop. A handler whose reply
// is endless must end it then; it can still write to the client.
func Stopping(ctx context.Context) <-chan struct{} {
	if stopping, ok := ctx.Value(stoppingKey{}).(context.Context); ok {
		return stopping.Done()
	}
	return nil
}

// Drain serves h. Once draining is done, each reply closes its connection, so that a client behind
// a load balancer sends its next request to another server.
func Drain(draining context.Context, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if draining.Err() != nil {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, r)
	})
}

// unusedConns are connections without a request so far. Shutdown would wait seconds for them.
type unusedConns struct {
	mu   sync.Mutex
	open map[net.Conn]bool
}

func (s *unusedConns) track(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if state == http.StateNew {
		s.open[c] = true
		return
	}
	delete(s.open, c)
}

func (s *unusedConns) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		_ = c.Close() // nothing was sent on it
	}
}
