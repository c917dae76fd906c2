package access

import (
	"context"
	"sync"
	"time"
)

// lives tells open streams that their token has died.
type lives struct {
	mu       sync.Mutex
	open     map[string]life // by token id; ended and dropped at the token's death
	listened chan struct{}   // tells Run that there is one more to watch
}

type life struct {
	ctx context.Context
	end context.CancelFunc
}

// Life returns a context that ends once the token is revoked, removed or expired: at once
// for changes made through this Store, within a second while Run watches the file.
func (s *Store) Life(id string) context.Context {
	s.lives.mu.Lock()
	defer s.lives.mu.Unlock()
	if l, ok := s.lives.open[id]; ok {
		return l.ctx
	}
	ctx, end := context.WithCancel(context.Background())
	if t, ok := s.view.Load().byID[id]; !ok || !t.Live(time.Now()) {
		end()
		return ctx
	}
	s.lives.open[id] = life{ctx, end}
	tell(s.lives.listened)
	return ctx
}

// endDead ends the lives of the tokens that are not live in v.
func (l *lives) endDead(v *view, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, open := range l.open {
		if t, ok := v.byID[id]; !ok || !t.Live(now) {
			open.end()
			delete(l.open, id)
		}
	}
}

// nextExpiry returns when the next token that somebody listens for expires.
func (l *lives) nextExpiry(v *view) (next time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.open {
		if t, ok := v.byID[id]; ok && !t.ExpiresAt.IsZero() && (next.IsZero() || t.ExpiresAt.Before(next)) {
			next = t.ExpiresAt
		}
	}
	return next
}
