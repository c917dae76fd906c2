package player

import (
	"context"

	"waxwing/internal/fault"
)

// InsertPosition says where Add puts tracks.
type InsertPosition string

const (
	AtNext InsertPosition = "next" // right after the current track
	AtEnd  InsertPosition = "end"
)

// roomFor refuses what would make the queue too long.
func (c *core) roomFor(n int) error {
	if len(c.queue.tracks)+n > maxQueue {
		return fault.New(fault.Conflict, "the queue holds %d tracks at most", maxQueue)
	}
	return nil
}

// Add resolves sel and queues it; it returns how many tracks were added.
func (p *Player) Add(ctx context.Context, sel Selection, at InsertPosition) (int, error) {
	tracks, err := p.cfg.Library.Tracks(ctx, sel)
	if err != nil {
		return 0, err
	}
	return len(tracks), p.edit(ctx, func(c *core) error {
		if err := c.roomFor(len(tracks)); err != nil {
			return err
		}
		if len(tracks) == 0 {
			return nil
		}
		if at == AtNext {
			c.queue.insert(tracks)
		} else {
			c.queue.add(tracks)
		}
		p.lookAhead(c)
		return nil
	})
}

// Replace swaps the whole queue for sel with the track at index loaded, playing if play is true.
func (p *Player) Replace(ctx context.Context, sel Selection, index int, play bool) error {
	tracks, err := p.cfg.Library.Tracks(ctx, sel)
	if err != nil {
		return err
	}
	if len(tracks) > maxQueue {
		return fault.New(fault.Invalid, "the queue holds %d tracks at most", maxQueue)
	}
	if index < 0 || index > 0 && index >= len(tracks) {
		return fault.New(fault.Invalid, "index must be within the %d tracks named", len(tracks))
	}
	return p.edit(ctx, func(c *core) error {
		c.err, c.fails = "", 0
		p.unload(c, 0)
		c.ended = false
		c.queue.replace(tracks, index)
		if play && len(tracks) > 0 {
			p.loadCurrent(c, 0)
			p.startPlayback(c)
		}
		return nil
	})
}

// Remove takes the item at index out of the queue. It must still be the track id: a stale
// index is a Conflict, never the wrong song. If it was playing, the next one plays.
func (p *Player) Remove(ctx context.Context, index int, id string) error {
	return p.edit(ctx, func(c *core) error {
		if err := c.queue.check(index, id); err != nil {
			return err
		}
		wasCurrent, atEnd := c.queue.remove(index)
		switch {
		case c.queue.empty():
			p.unload(c, 0)
			c.ended = false
		case wasCurrent:
			p.changeTrack(c, 0)
			if atEnd && !c.repeat.wraps() {
				p.stopPlayback(c)
			}
		default:
			p.lookAhead(c)
		}
		return nil
	})
}

// Move takes the item at from, which must still be the track id, to the place to.
func (p *Player) Move(ctx context.Context, from, to int, id string) error {
	return p.edit(ctx, func(c *core) error {
		if err := c.queue.check(from, id); err != nil {
			return err
		}
		if to < 0 || to >= len(c.queue.tracks) {
			return fault.New(fault.Invalid, "to must be an index of the queue, 0 to %d", len(c.queue.tracks)-1)
		}
		c.queue.move(from, to)
		p.lookAhead(c)
		return nil
	})
}

// Jump plays the item at index, which must still be the track id.
func (p *Player) Jump(ctx context.Context, index int, id string) error {
	return p.edit(ctx, func(c *core) error {
		if err := c.queue.check(index, id); err != nil {
			return err
		}
		p.playAt(c, index)
		return nil
	})
}

// Clear empties the queue and stops.
func (p *Player) Clear(ctx context.Context) error {
	return p.edit(ctx, func(c *core) error {
		c.queue.replace(nil, 0)
		c.err, c.ended = "", false
		p.unload(c, 0)
		return nil
	})
}
