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
	profileFresh = 5 * time.Second // how long an answer is good for
	profileRetry = time.Second     // how long a failure is
	profileWait  = 2 * time.Second // how long a slow catalog may hold up a reader
)

// profile remembers the active user's public profile, so that a catalog that is away or
// slow takes nothing from those who only want to show a name.
type profile struct {
	fetch func(context.Context) (playerapi.PublicUser, error)

	mu    sync.Mutex
	last  *playerapi.PublicUserReply // the last good answer; nil while there is none
	err   error                      // what readers are told while there is none
	until time.Time                  // until when the catalog need not be asked again
}

func (p *profile) read(ctx context.Context) (playerapi.PublicUserReply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Now().After(p.until) {
		p.ask(ctx)
	}
	if p.last == nil {
		return playerapi.PublicUserReply{}, p.err
	}
	return *p.last, nil
}

// ask reads the profile anew. A catalog that does not answer leaves the last good one in place.
func (p *profile) ask(ctx context.Context) {
	waiting, cancel := context.WithTimeout(ctx, profileWait)
	defer cancel()
	user, err := p.fetch(waiting)
	now := time.Now()
	if err == nil {
		p.last = &playerapi.PublicUserReply{User: user, UpdatedAt: timestamp.At(now)}
		p.until = now.Add(profileFresh)
		return
	}
	if ctx.Err() != nil { // this reader gave up, which says nothing about the catalog
		p.err = ctx.Err()
		return
	}
	switch kind, _ := fault.Of(err); kind {
	case fault.NotFound:
		p.last = nil // the user is gone, and so is the profile
	case fault.Internal:
		err = fault.Wrap(fault.Unavailable, err, "the catalog cannot be reached")
	}
	p.err = err
	p.until = now.Add(profileRetry)
}
