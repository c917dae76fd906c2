package access

import (
	"sync"
	"time"
)

// deaths tells open streams that their token has died.
type deaths struct {
	mu       sync.Mutex
	channels map[string]chan struct{} // by token id; closed and dropped at the token's death
	listened chan struct{}            // tells Run that there is one more to watch
}

// Dead returns a channel that is closed once the token is revoked, removed or expired: at
// once for changes made through this Store, within a second while Run watches the file.
func (s *Store) Dead(id string) <-chan struct{} {
	s.deaths.mu.Lock()
	defer s.deaths.mu.Unlock()
	if c, ok := s.deaths.channels[id]; ok {
		return c
	}
	c := make(chan struct{})
	if t, ok := s.view.Load().byID[id]; !ok || !t.Live(time.Now()) {
		close(c)
		return c
	}
	s.deaths.channels[id] = c
	tell(s.deaths.listened)
	return c
}

// announce closes the channels of the tokens that are not live in v.
func (d *deaths) announce(v *view, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id, c := range d.channels {
		if t, ok := v.byID[id]; !ok || !t.Live(now) {
			close(c)
			delete(d.channels, id)
		}
	}
}

// nextExpiry returns when the next token that somebody listens for expires.
func (d *deaths) nextExpiry(v *view) (next time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id := range d.channels {
		if t, ok := v.byID[id]; ok && !t.ExpiresAt.IsZero() && (next.IsZero() || t.ExpiresAt.Before(next)) {
			next = t.ExpiresAt
		}
	}
	return next
}
