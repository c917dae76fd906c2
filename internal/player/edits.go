package player

import (
	"context"

	"waxwing/internal/fault"
)

// Insert resolves sel and passes its tracks to f, which runs as in Edit. It returns the ids that f
// returns.
func (p *Player) Insert(
	ctx context.Context, sel Selection, f func(q *Edit, tracks []Track) ([]int, error),
) (ids []int, err error) {
	tracks, err := p.tracks(ctx, sel)
	if err != nil {
		return nil, err
	}
	err = p.Edit(ctx, func(q *Edit) error {
		ids, err = f(q, tracks)
		return err
	})
	return ids, err
}

// Replace replaces the queue with the tracks of sel. The track at index becomes current and plays
// if play is true.
func (p *Player) Replace(ctx context.Context, sel Selection, index int, play bool) error {
	tracks, err := p.tracks(ctx, sel)
	if err != nil {
		return err
	}
	if err := fits(tracks); err != nil {
		return err
	}
	if index < 0 || index > 0 && index >= len(tracks) {
		return fault.New(fault.Invalid, "index must be an index of the %d tracks", len(tracks))
	}
	return p.edit(ctx, func(c *core) error {
		before := p.remember(c)
		c.err, c.fails = "", 0
		p.unload(c)
		c.ended = false
		p.removed.keep(c.queue.tracks)
		c.queue.replace(tracks, index)
		c.undoable(before)
		if play && len(tracks) > 0 {
			p.loadCurrent(c, 0)
			p.startPlayback(c)
		}
		return nil
	})
}

// Clear empties the queue and stops.
func (p *Player) Clear(ctx context.Context) error {
	return p.edit(ctx, func(c *core) error {
		p.removed.keep(c.queue.tracks)
		before := p.remember(c)
		c.queue.replace(nil, 0)
		c.undoable(before)
		p.unloadEmpty(c)
		return nil
	})
}
