package player

import (
	"context"
	"slices"
	"time"

	"waxwing/internal/fault"
)

// maxUndo limits the changes of the queue that can be undone.
const maxUndo = 10

// earlier is the queue before a change that removed items.
type earlier struct {
	queue    queue
	position time.Duration
	playing  bool
	stopped  bool
	ended    bool
	after    uint64 // version of the queue at which the change can be undone
}

// remember returns the queue as it is now, for undo.
func (p *Player) remember(c *core) earlier {
	return earlier{
		queue: c.queue, position: p.position(c), playing: c.playing, stopped: c.stopped, ended: c.ended,
	}
}

// undoable keeps what was before a change, if the change removed items.
func (c *core) undoable(before earlier) {
	if before.queue.empty() || before.queue.version == c.queue.version || c.queue.hasAll(before.queue.items) {
		return
	}
	before.after = c.queue.version
	if len(c.undo) == maxUndo {
		c.undo = slices.Delete(c.undo, 0, 1)
	}
	c.undo = append(c.undo, before)
}

// hasAll reports whether the queue still has all items.
func (q *queue) hasAll(items []Item) bool {
	if len(q.items) < len(items) {
		return false
	}
	if extends(q.items, items) {
		return true
	}
	ids := make(map[int]bool, len(q.items))
	for _, item := range q.items {
		ids[item.ID] = true
	}
	return !slices.ContainsFunc(items, func(item Item) bool { return !ids[item.ID] })
}

// restore makes the queue what it was before. Its slices are new, and all items have changed.
func (q *queue) restore(before queue) {
	q.version++
	q.tracks, q.items = slices.Clone(before.tracks), slices.Clone(before.items)
	for i := range q.items {
		q.items[i].Version = q.version
	}
	q.order, q.at, q.round = slices.Clone(before.order), before.at, nil
	if q.shuffle != before.shuffle {
		q.setShuffle(q.shuffle)
	}
}

// Undo restores the queue as it was before the last change that removed items: by Replace, Clear or
// Edit. If that change ended the current track, it continues where it was. It is a Conflict if
// there is no such change, or if the queue has been changed in another way since.
func (p *Player) Undo(ctx context.Context) error {
	return p.edit(ctx, func(c *core) error {
		if len(c.undo) == 0 {
			return fault.New(fault.Conflict, "there is no change of the queue that can be undone")
		}
		last := c.undo[len(c.undo)-1]
		if last.after != c.queue.version {
			return fault.New(fault.Conflict, "the queue has been changed since; the change cannot be undone any more")
		}
		c.undo = c.undo[:len(c.undo)-1]
		current := c.queue.currentItem()
		c.queue.restore(last.queue)
		if n := len(c.undo); n > 0 && c.undo[n-1].after == last.queue.version {
			c.undo[n-1].after = c.queue.version
		}
		if c.queue.currentItem() == current {
			p.lookAhead(c)
			return nil
		}
		p.continueAt(c, last)
		return nil
	})
}

// continueAt makes playback what it was before.
func (p *Player) continueAt(c *core, before earlier) {
	p.unload(c)
	c.err, c.fails = "", 0
	c.resume, c.stopped, c.ended = before.position, before.stopped, before.ended
	if before.playing {
		p.loadCurrent(c, before.position)
		p.startPlayback(c)
	}
}
