package player

import (
	"context"
	"iter"
	"sync"
	"time"

	"waxwing/internal/fault"
)

// Personal is what the user of the player thinks of a track.
type Personal struct {
	Liked  bool
	Rating int // 1 to 5; 0: not rated
}

// PersonalLibrary stores what the user thinks of tracks.
type PersonalLibrary interface {
	Personal(ctx context.Context, id string) (Personal, error)
	SetLiked(ctx context.Context, id string, liked bool) error
	SetRating(ctx context.Context, id string, rating int) error
	// PersonalChanges yields after each change, by whomever, until ctx is done or following is
	// useless.
	PersonalChanges(ctx context.Context) iter.Seq[struct{}]
}

// Like likes the current track, or removes the like. Nothing loaded is a Conflict, and so is a
// player without a PersonalLibrary.
func (p *Player) Like(ctx context.Context, liked bool) (id string, err error) {
	return p.changePersonal(ctx, func(id string) error {
		return p.cfg.Personal.SetLiked(ctx, id, liked)
	}, func(m *Personal) { m.Liked = liked })
}

// Rate rates the current track from 1 to 5; 0 removes the rating. Conflicts are those of Like.
func (p *Player) Rate(ctx context.Context, rating int) (id string, err error) {
	if rating < 0 || rating > 5 {
		return "", fault.New(fault.Invalid, "rating must be a whole number from 0 to 5")
	}
	return p.changePersonal(ctx, func(id string) error {
		return p.cfg.Personal.SetRating(ctx, id, rating)
	}, func(m *Personal) { m.Rating = rating })
}

// changePersonal changes the library, then the state if that is known already.
func (p *Player) changePersonal(
	ctx context.Context, store func(id string) error, set func(*Personal),
) (id string, err error) {
	t, ok := p.Status().Current()
	if !ok {
		return "", fault.WithCode(fault.Conflict, fault.QueueEmpty,
			"the queue is empty: there is no current track; play one first")
	}
	if t.URL != "" {
		return "", fault.New(fault.Conflict, "a track of the web cannot be liked or rated: it is not in the catalog")
	}
	if p.cfg.Personal == nil {
		return "", fault.New(fault.Conflict, "this player has no catalog that stores likes and ratings")
	}
	if err := store(t.ID); err != nil {
		return "", err
	}
	err = p.transport(ctx, func(c *core) error {
		if c.personalOf == t.ID {
			changed := c.personal
			set(&changed)
			c.personal = changed
		}
		return nil
	})
	p.requestPersonal()
	return t.ID, err
}

// personalPause is the least time between two requests for personal data.
const personalPause = 250 * time.Millisecond

// requestPersonal makes followPersonal read the data of the current track again.
func (p *Player) requestPersonal() {
	select {
	case p.personalRequests <- struct{}{}:
	default: // a request is pending
	}
}

// followPersonal reads what the user thinks of the current track when that changes or another
// program changes the data, until ctx is done. Failures leave it unknown; playback does not depend
// on it.
func (p *Player) followPersonal(ctx context.Context) {
	if p.cfg.Personal == nil {
		return
	}
	var followers sync.WaitGroup
	defer followers.Wait()
	followers.Go(func() {
		for range p.cfg.Personal.PersonalChanges(ctx) {
			p.requestPersonal()
		}
	})
	followers.Go(func() {
		last := ""
		for st := range p.Updates(ctx) {
			if t, _ := st.Current(); t.ID != last {
				last = t.ID
				p.requestPersonal()
			}
		}
	})
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.personalRequests:
		}
		if t, ok := p.Status().Current(); ok && t.URL == "" {
			p.readPersonal(ctx, t.ID)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(personalPause):
		}
	}
}

func (p *Player) readPersonal(ctx context.Context, id string) {
	m, err := p.cfg.Personal.Personal(ctx, id)
	if err != nil {
		p.cfg.Log.DebugContext(ctx, "cannot read the rating of the current track", "err", err)
		return
	}
	p.post(func(c *core) { c.personalOf, c.personal = id, m })
}

// currentPersonal returns what is known of the current track, or nil.
func (c *core) currentPersonal() *Personal {
	if c.queue.empty() || c.queue.index() < 0 || c.queue.current().ID != c.personalOf {
		return nil
	}
	m := c.personal
	return &m
}

// samePersonal reports whether two values are equal; nil is unknown.
func samePersonal(a, b *Personal) bool { return a == b || a != nil && b != nil && *a == *b }
