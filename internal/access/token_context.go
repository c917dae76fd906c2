package access

import (
	"context"
	"sync"
	"time"
)

// tokenContexts ends the open streams of a token that is no longer live.
type tokenContexts struct {
	mu    sync.Mutex
	open  map[string]cancellable // by token id; removed when cancelled
	used  map[string]int         // connections that are open now, by token id
	added chan struct{}          // signals Run to compute the next expiry again
}

type cancellable struct {
	ctx    context.Context
	cancel context.CancelFunc
}

// TokenContext returns a context that is cancelled when the token is revoked, removed or expired:
// immediately for changes through this Store, within a second for other changes while Run runs.
func (s *Store) TokenContext(id string) context.Context {
	s.contexts.mu.Lock()
	defer s.contexts.mu.Unlock()
	if c, ok := s.contexts.open[id]; ok {
		return c.ctx
	}
	ctx, cancel := context.WithCancel(context.Background())
	if t, ok := s.view.Load().byID[id]; !ok || !t.Live(time.Now()) {
		cancel()
		return ctx
	}
	s.contexts.open[id] = cancellable{ctx, cancel}
	notify(s.contexts.added)
	return ctx
}

// InUse reports that a connection of a token is open until end is called. An open connection counts
// as use, even if nobody sends a request.
func (s *Store) InUse(id string) (end func()) {
	count := func(by int) {
		s.contexts.mu.Lock()
		defer s.contexts.mu.Unlock()
		if s.contexts.used[id] += by; s.contexts.used[id] == 0 {
			delete(s.contexts.used, id)
		}
	}
	count(1)
	return sync.OnceFunc(func() { count(-1) })
}

// recordOpen records a use of each token with an open connection.
func (s *Store) recordOpen(now time.Time) {
	s.contexts.mu.Lock()
	defer s.contexts.mu.Unlock()
	for id := range s.contexts.used {
		s.uses.record(id, now)
	}
}

// cancelInvalid cancels the contexts of the tokens that are not live in v.
func (c *tokenContexts) cancelInvalid(v *view, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, open := range c.open {
		if t, ok := v.byID[id]; !ok || !t.Live(now) {
			open.cancel()
			delete(c.open, id)
		}
	}
}

// nextExpiry returns the earliest expiry of the tokens with a context; zero if there is none.
func (c *tokenContexts) nextExpiry(v *view) (next time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range c.open {
		t, ok := v.byID[id]
		if !ok {
			continue
		}
		if end := t.EndsAt(); !end.IsZero() && (next.IsZero() || end.Before(next)) {
			next = end
		}
	}
	return next
}
