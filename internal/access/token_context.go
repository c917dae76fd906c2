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
		if t, ok := v.byID[id]; ok && !t.ExpiresAt.IsZero() && (next.IsZero() || t.ExpiresAt.Before(next)) {
			next = t.ExpiresAt
		}
	}
	return next
}
