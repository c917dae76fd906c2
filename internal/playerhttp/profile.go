package playerhttp

import (
	"context"
	"sync"
	"time"

	"waxwing/api/playerapi"
	"waxwing/api/timestamp"
	"waxwing/internal/fault"
)

const (
	profileMaxAge = 5 * time.Second
	profileRetry  = time.Second     // delay after a failure
	profileWait   = 2 * time.Second // timeout of a request to the catalog
)

// profile caches the public profile of the active user, so that it can be read while the catalog
// is unavailable or slow.
type profile struct {
	fetch func(context.Context) (playerapi.PublicUser, error)

	mu    sync.Mutex
	last  *playerapi.PublicUserReply // nil until the first success
	err   error                      // returned while last is nil
	until time.Time                  // no request to the catalog before this time
}

func (p *profile) read(ctx context.Context) (playerapi.PublicUserReply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Now().After(p.until) {
		p.update(ctx)
	}
	if p.last == nil {
		return playerapi.PublicUserReply{}, p.err
	}
	return *p.last, nil
}

// update reads the profile from the catalog. On failure the last profile stays.
func (p *profile) update(ctx context.Context) {
	waiting, cancel := context.WithTimeout(ctx, profileWait)
	defer cancel()
	user, err := p.fetch(waiting)
	now := time.Now()
	if err == nil {
		p.last = &playerapi.PublicUserReply{User: user, UpdatedAt: timestamp.At(now)}
		p.until = now.Add(profileMaxAge)
		return
	}
	if ctx.Err() != nil { // this reader cancelled; the catalog may be fine
		p.err = ctx.Err()
		return
	}
	switch kind, _ := fault.Of(err); kind {
	case fault.NotFound:
		p.last = nil // the user was deleted
	case fault.Internal:
		err = fault.WrapCode(fault.Unavailable, fault.CatalogUnavailable, err,
			"the catalog cannot be reached; check that it is running")
	}
	p.err = err
	p.until = now.Add(profileRetry)
}
