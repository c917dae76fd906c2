package player

import (
	"context"

	"waxwing/internal/fault"
)

// InsertPosition is where Add inserts tracks.
type InsertPosition string

const (
	AtNext InsertPosition = "next" // right after the current track
	AtEnd  InsertPosition = "end"
)

// Add inserts the tracks of sel into the queue and returns their number.
func (p *Player) Add(ctx context.Context, sel Selection, at InsertPosition) (int, error) {
	tracks, err := p.cfg.Library.Tracks(ctx, sel)
	if err != nil {
		return 0, err
	}
	return len(tracks), p.edit(ctx, func(c *core) error {
		if err := fits(c.queue.tracks, tracks); err != nil {
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

// Replace replaces the queue with the tracks of sel. The track at index becomes current and plays
// if play is true.
func (p *Player) Replace(ctx context.Context, sel Selection, index int, play bool) error {
	tracks, err := p.cfg.Library.Tracks(ctx, sel)
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

// Remove removes the item at index, which must still be the track id: a stale index is a Conflict.
// If it was playing, the next one plays.
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

// Move moves the item at from, which must still be the track id, to the index to.
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
