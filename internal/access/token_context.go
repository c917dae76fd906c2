package access

import (
	"context"
	"sync"
	"time"
)

// lives tells open streams that their token has died.
type tokenContexts struct {
	mu    sync.Mutex
	open  map[string]cancellable // by token id; ended and dropped at the token's death
	added chan struct{}          // tells Run that there is one more to watch
}

type cancellable struct {
	ctx    context.Context
	cancel context.CancelFunc
}

// TokenContext returns a context that ends once the token is revoked, removed or expired: at once
// for changes made through this Store, within a second while Run watches the file.
func (s *Store) TokenContext(id string) context.Context {
	s.contexts.mu.Lock()
	defer s.contexts.mu.Unlock()
	if l, ok := s.contexts.open[id]; ok {
		return l.ctx
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

// cancelInvalid ends the lives of the tokens that are not live in v.
func (l *tokenContexts) cancelInvalid(v *view, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, open := range l.open {
		if t, ok := v.byID[id]; !ok || !t.Live(now) {
			open.cancel()
			delete(l.open, id)
		}
	}
}

// nextExpiry returns when the next token that somebody listens for expires.
func (l *tokenContexts) nextExpiry(v *view) (next time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.open {
		if t, ok := v.byID[id]; ok && !t.ExpiresAt.IsZero() && (next.IsZero() || t.ExpiresAt.Before(next)) {
			next = t.ExpiresAt
		}
	}
	return next
}
