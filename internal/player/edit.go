package player

import (
	"context"
	"slices"
	"time"

	"waxwing/internal/fault"
)

// Edit is the queue during a call of Player.Edit, and cannot be used afterwards. Ranges are from an
// index up to but not including another, as in Go; those outside the queue are Invalid.
type Edit struct {
	queue *queue
	ended bool          // the current item and all after it were removed
	play  int           // id of the item to play; 0: none
	from  time.Duration // where it starts
}

// Edit runs f on the owner's goroutine, as one change of the queue that others see whole or not at
// all: an error of f leaves the queue as it was. f must not block. If f removes the current item,
// the next one in play order becomes current; it plays if the removed one did.
func (p *Player) Edit(ctx context.Context, f func(q *Edit) error) error {
	return p.edit(ctx, func(c *core) error { return p.change(c, f) })
}

// change runs f on the queue and makes the deck follow.
func (p *Player) change(c *core, f func(q *Edit) error) error {
	earlier := p.remember(c)
	before := earlier.queue
	e := &Edit{queue: &c.queue}
	if err := f(e); err != nil {
		c.queue = before
		return err
	}
	c.undoable(earlier)
	switch {
	case e.play > 0 && c.queue.indexOf(e.play) >= 0:
		p.playAt(c, c.queue.indexOf(e.play), e.from)
	case c.queue.empty():
		if !before.empty() {
			p.unloadEmpty(c)
		}
	case !before.empty() && c.queue.currentItem() != before.currentItem():
		p.changeTrack(c, 0)
		if e.ended && !c.repeat.wraps() {
			p.stopPlayback(c)
		}
	default:
		p.lookAhead(c)
	}
	return nil
}

// unloadEmpty stops a player whose queue has become empty.
func (p *Player) unloadEmpty(c *core) {
	c.err, c.ended = "", false
	p.unload(c)
}

// Items lists the items. The slice is shared: it must not be modified.
func (e *Edit) Items() []Item { return e.queue.items }

// Tracks lists the tracks of the items. The slice is shared: it must not be modified.
func (e *Edit) Tracks() []Track { return e.queue.tracks }

// Current is the index of the current item; -1 when the queue is empty.
func (e *Edit) Current() int { return e.queue.index() }

// Find returns the index of an item. An id that is not in the queue is NotFound.
func (e *Edit) Find(item int) (int, error) {
	if i := e.queue.indexOf(item); i >= 0 {
		return i, nil
	}
	return -1, unknownItem(item)
}

func unknownItem(item int) error {
	return fault.New(fault.NotFound, "the queue has no item %d; read /queue/items again", item)
}

// FindAll is Find for many items.
func (e *Edit) FindAll(items []int) ([]int, error) {
	indexes := make(map[int]int, len(e.queue.items))
	for i, item := range e.queue.items {
		indexes[item.ID] = i
	}
	found := make([]int, len(items))
	for k, item := range items {
		i, ok := indexes[item]
		if !ok {
			return nil, unknownItem(item)
		}
		found[k] = i
	}
	return found, nil
}

// Check returns index if the track there is id; otherwise a Conflict.
func (e *Edit) Check(index int, id string) (int, error) { return index, e.queue.check(index, id) }

// Insert adds tracks at index, which may be the length of the queue, and returns the ids of the new
// items. When shuffling, they are played at random positions after the current item.
func (e *Edit) Insert(index int, tracks []Track) ([]int, error) {
	return e.insert(index, tracks, false)
}

// InsertNext adds tracks right after the current item, in the list and in play order, and returns
// the ids of the new items.
func (e *Edit) InsertNext(tracks []Track) ([]int, error) {
	return e.insert(e.Current()+1, tracks, true)
}

func (e *Edit) insert(index int, tracks []Track, next bool) ([]int, error) {
	if err := e.checkRange(index, index); err != nil {
		return nil, err
	}
	if err := fits(e.queue.tracks, tracks); err != nil || len(tracks) == 0 {
		return nil, err
	}
	return e.queue.insert(index, tracks, next), nil
}

// Remove removes a range.
func (e *Edit) Remove(from, to int) error {
	if err := e.checkRange(from, to); err != nil || from == to {
		return err
	}
	e.ended = e.queue.remove(from, to) || e.ended
	return nil
}

// RemoveItems removes items by their ids, all or none.
func (e *Edit) RemoveItems(ids []int) error {
	remove, err := e.FindAll(ids)
	if err != nil || len(remove) == 0 {
		return err
	}
	keep := identity(len(e.queue.items))
	for _, i := range remove {
		keep[i] = -1
	}
	keep = slices.DeleteFunc(keep, func(i int) bool { return i < 0 })
	e.ended = e.queue.arrange(keep, nil) || e.ended
	return nil
}

// Move moves a range, so that its first item has the index dest afterwards.
func (e *Edit) Move(from, to, dest int) error {
	if err := e.checkRange(from, to); err != nil {
		return err
	}
	if last := len(e.queue.items) - (to - from); dest < 0 || dest > last {
		return fault.New(fault.Invalid, "to must be an index of the queue, 0 to %d", last)
	}
	if from < to && dest != from {
		e.queue.move(from, to, dest)
	}
	return nil
}

// Swap exchanges the items at two indices.
func (e *Edit) Swap(i, j int) error {
	if err := e.checkRange(i, i+1); err != nil {
		return err
	}
	if err := e.checkRange(j, j+1); err != nil || i == j {
		return err
	}
	e.queue.swap(i, j)
	return nil
}

// Shuffle brings a range of the list into a random sequence; the current item comes first. The play
// order of shuffle mode is another matter: see SetShuffle.
func (e *Edit) Shuffle(from, to int) error {
	if err := e.checkRange(from, to); err != nil || to-from < 2 {
		return err
	}
	e.queue.shuffleList(from, to)
	return nil
}

// SetPriority sets the priority, 0 to 255, of the items at the given indices. When shuffling, items
// of higher priority are played first, and one that was played in this round is played again if its
// new priority exceeds that of the current item.
func (e *Edit) SetPriority(priority int, indexes ...int) error {
	if priority < 0 || priority > maxPriority {
		return fault.New(fault.Invalid, "priority must be a whole number from 0 to %d", maxPriority)
	}
	for _, i := range indexes {
		if err := e.checkRange(i, i+1); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(indexes, func(i int) bool { return e.queue.items[i].Priority != priority }) {
		e.queue.setPriority(indexes, priority)
	}
	return nil
}

// Play plays the item at index from a position, once f has returned.
func (e *Edit) Play(index int, from time.Duration) error {
	if err := e.checkRange(index, index+1); err != nil {
		return err
	}
	e.play, e.from = e.queue.items[index].ID, max(from, 0)
	return nil
}

func (e *Edit) checkRange(from, to int) error {
	if n := len(e.queue.items); from < 0 || from > to || to > n {
		return fault.New(fault.Invalid, "the queue has no such items: it has %d", n)
	}
	return nil
}
