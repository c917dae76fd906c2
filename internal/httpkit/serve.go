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

// drainTime is how long answers under way get once the server must stop, long ones such as audio included.
const drainTime = 5 * time.Second

// Serve answers on ln until ctx is done. Then it takes no new request, tells the streams that never end
// by themselves to end (see [Stopping]), lets the other answers finish for drainTime and returns nil.
func Serve(ctx context.Context, ln net.Listener, h http.Handler, log *slog.Logger) error {
	stopping, announce := context.WithCancel(context.Background())
	defer announce()
	drained, endStreams := context.WithCancel(context.Background())
	defer endStreams()
	base := context.WithValue(context.WithoutCancel(ctx), stoppingKey{}, stopping)
	base = context.WithValue(base, drainedKey{}, drained)
	srv := &http.Server{
		Handler:           h,
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
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
	go func() { served <- srv.Serve(listener{ln}) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	announce()
	silent.close()
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

// Stopping is closed when the server has begun to stop. A handler whose answer has no end of its own
// must end it then; what it still writes reaches the client.
func Stopping(ctx context.Context) <-chan struct{} {
	if stopping, ok := ctx.Value(stoppingKey{}).(context.Context); ok {
		return stopping.Done()
	}
	return nil
}

// Farewell serves as h does, and once leaving is done it asks each client to send its next request over
// a new connection. Behind a load balancer that connection is one to another server, so none is
// in use when this one closes.
func Farewell(leaving context.Context, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if leaving.Err() != nil {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, r)
	})
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
