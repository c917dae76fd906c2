package playerhttp

import (
	"context"
	"sync"
	"time"

	"waxwing/api/playerapi"
	"waxwing/api/stamp"
	"waxwing/internal/fault"
)

const (
	profileFresh = 5 * time.Second // how long an answer is good for
	profileWait  = 2 * time.Second // how long a slow catalog may hold up a reader
)

// profile remembers the active user's public profile, so that a catalog that is away or
// slow takes nothing from those who only want to show a name.
type profile struct {
	fetch func(context.Context) (playerapi.PublicUser, error)

	mu    sync.Mutex
	last  playerapi.PublicUserReply
	until time.Time // until when last needs no new reading
	known bool
}

func (p *profile) read(ctx context.Context) (playerapi.PublicUserReply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.known && now.Before(p.until) {
		return p.last, nil
	}
	ctx, cancel := context.WithTimeout(ctx, profileWait)
	defer cancel()
	user, err := p.fetch(ctx)
	kind, _ := fault.Of(err)
	switch {
	case err == nil:
		p.last = playerapi.PublicUserReply{User: user, UpdatedAt: stamp.At(now)}
		p.known = true
	case kind == fault.NotFound:
		p.known = false // the user is gone, and so is the profile
		return playerapi.PublicUserReply{}, err
	case !p.known:
		if kind == fault.Internal {
			err = fault.Wrap(fault.Unavailable, err, "the catalog cannot be reached")
		}
		return playerapi.PublicUserReply{}, err
	}
	p.until = now.Add(profileFresh)
	return p.last, nil
}
