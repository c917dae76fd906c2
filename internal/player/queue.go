package player

import (
	"math/rand/v2"
	"slices"

	"waxwing/internal/fault"
)

// maxQueue limits the tracks in a queue.
const maxQueue = 20_000

// Item is what the queue knows of an entry besides its track.
type Item struct {
	// ID identifies the entry in the life of the player's state, also across restarts: a small
	// positive number that is never given to another entry.
	ID int `json:"id"`
	// Priority is from 0 to 255. When shuffling, higher ones are played first.
	Priority int `json:"priority,omitempty"`
	// Version is that of the queue when the entry or its index last changed.
	Version uint64 `json:"-"`
}

// maxPriority is the highest priority, as in MPD.
const maxPriority = 255

// queue is the list of tracks and their play order. It depends on neither audio, time nor files.
//
// tracks and items are parallel, shared with published snapshots, and therefore replaced or
// extended, never modified. order is a permutation of their indices; without shuffle it is the
// identity.
type queue struct {
	tracks  []Track
	items   []Item
	version uint64 // increases with each change of tracks or items
	lastID  int    // the last id given to an item
	order   []int
	at      int // position of the current track in order; -1 when the queue is empty
	shuffle bool
	round   []int // the order of the next round, once upcoming has chosen it
	rnd     *rand.Rand
}

func newQueue(rnd *rand.Rand) queue { return queue{at: -1, version: 1, rnd: rnd} }

func (q *queue) empty() bool { return len(q.tracks) == 0 }

// index is the current track's index in tracks; -1 when the queue is empty.
func (q *queue) index() int {
	if q.at < 0 {
		return -1
	}
	return q.order[q.at]
}

func (q *queue) current() Track { return q.tracks[q.index()] }

// currentItem is the id of the current item; 0 when the queue is empty.
func (q *queue) currentItem() int {
	if q.empty() {
		return 0
	}
	return q.items[q.index()].ID
}

// indexOf returns the index of an item, or -1.
func (q *queue) indexOf(item int) int {
	return slices.IndexFunc(q.items, func(i Item) bool { return i.ID == item })
}

// find returns the index of a track, preferring the current one, or -1.
func (q *queue) find(id string) int {
	if !q.empty() && q.current().ID == id {
		return q.index()
	}
	return slices.IndexFunc(q.tracks, func(t Track) bool { return t.ID == id })
}

// check returns an error unless the track at index is id.
func (q *queue) check(index int, id string) error {
	if index < 0 || index >= len(q.tracks) {
		return fault.WithCode(fault.Conflict, fault.StaleIndex,
			"the queue no longer has an item %d; read /playback-queue again", index)
	}
	if q.tracks[index].ID != id {
		return fault.WithCode(fault.Conflict, fault.StaleIndex,
			"item %d of the queue is no longer %s; read /playback-queue again", index, id)
	}
	return nil
}

// jump makes the track at index current.
func (q *queue) jump(index int) { q.at = slices.Index(q.order, index) }

// step moves by one in play order, wrapping at the ends.
func (q *queue) step(by int) {
	n := len(q.order)
	q.at = ((q.at+by)%n + n) % n
}

// upcoming returns the index of the track that follows the natural end of the current one, or -1
// for none. At the end of a round it chooses the order of the next, so that advance plays the same
// track.
func (q *queue) upcoming(r Repeat) int {
	switch {
	case q.empty():
		return -1
	case r == RepeatOne:
		return q.index()
	case q.at+1 < len(q.order):
		return q.order[q.at+1]
	case !r.wraps():
		return -1
	}
	if q.round == nil {
		q.round = q.newRound()
	}
	return q.round[0]
}

// advance moves to the track that upcoming returns. It reports false if there is none.
func (q *queue) advance(r Repeat) bool {
	if q.upcoming(r) < 0 {
		return false
	}
	switch {
	case r == RepeatOne:
	case q.at+1 < len(q.order):
		q.at++
	default:
		q.order, q.round, q.at = q.round, nil, 0
	}
	return true
}

// newRound returns the play order of a new round. When shuffling, it does not begin with the
// current track.
func (q *queue) newRound() []int {
	order := identity(len(q.tracks))
	if !q.shuffle {
		return order
	}
	q.shuffleOrder(order)
	if n := len(order); n > 1 && order[0] == q.index() {
		same := q.items[order[1]].Priority // the others that may come first
		k := 1
		for k < n && q.items[order[k]].Priority == same {
			k++
		}
		k = 1 + q.rnd.IntN(k-1)
		order[0], order[k] = order[k], order[0]
	}
	return order
}

// shuffleOrder brings a part of an order into a random one, higher priorities first.
func (q *queue) shuffleOrder(part []int) {
	q.rnd.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
	slices.SortStableFunc(part, func(a, b int) int { return q.items[b].Priority - q.items[a].Priority })
}

// setShuffle turns shuffling on or off; the current track stays current. When turned on, the round
// begins with the current track, so that all others are still to come.
func (q *queue) setShuffle(on bool) {
	q.shuffle, q.round = on, nil
	if q.empty() {
		return
	}
	cur := q.index()
	q.order = identity(len(q.tracks))
	if !on {
		q.at = cur
		return
	}
	q.order[0], q.order[cur] = cur, 0
	q.shuffleOrder(q.order[1:])
	q.at = 0
}

// arrange replaces the list. from has the old index of each entry, or -1 for the next one of added;
// entries that it lacks are removed. The play order keeps its sequence, with new entries last.
// If the current entry is removed, the next in play order becomes current; if there is none, ended
// is true and the first becomes current.
func (q *queue) arrange(from []int, added []Track) (ended bool) {
	q.version++
	tracks, items := make([]Track, len(from)), make([]Item, len(from))
	to := make([]int, len(q.tracks)) // the new index of each old entry, plus one; 0: removed
	var order, fresh []int
	for i, old := range from {
		if old < 0 {
			q.lastID++
			tracks[i], items[i] = added[len(fresh)], Item{ID: q.lastID, Version: q.version}
			fresh = append(fresh, i)
			continue
		}
		to[old] = i + 1
		tracks[i], items[i] = q.tracks[old], q.items[old]
		if i != old {
			items[i].Version = q.version
		}
	}
	at := -1
	for k, old := range q.order {
		if to[old] == 0 {
			continue
		}
		if at < 0 && k >= q.at {
			at = len(order)
		}
		order = append(order, to[old]-1)
	}
	ended = at < 0 && len(q.order) > 0
	order = append(order, fresh...)
	q.tracks, q.items, q.round = tracks, items, nil
	switch {
	case len(order) == 0:
		at = -1
	case at < 0:
		at = 0
	}
	if !q.shuffle && at >= 0 {
		at, order = order[at], identity(len(order))
	}
	q.order, q.at = order, at
	return ended
}

// replace replaces the queue; the track at index becomes current.
func (q *queue) replace(tracks []Track, index int) {
	if len(q.tracks)+len(tracks) > 0 {
		q.order, q.at = nil, -1
		q.arrange(slices.Repeat([]int{-1}, len(tracks)), tracks)
	}
	if len(tracks) > 0 {
		q.jump(index)
		q.setShuffle(q.shuffle)
	}
}

// insert adds tracks at index. In play order they come right after the current one if next is true,
// else as in the list or, when shuffling, at random positions after it. It returns their ids.
func (q *queue) insert(index int, tracks []Track, next bool) []int {
	first := q.lastID + 1
	if q.empty() {
		q.replace(tracks, 0)
		return span(first, len(tracks))
	}
	old := len(q.order)
	if index == len(q.tracks) {
		q.extend(tracks)
	} else {
		from := slices.Concat(span(0, index), slices.Repeat([]int{-1}, len(tracks)), span(index, len(q.tracks)-index))
		q.arrange(from, tracks)
	}
	if !q.shuffle {
		return span(first, len(tracks))
	}
	fresh := slices.Clone(q.order[old:])
	q.order = slices.Clone(q.order[:old])
	if next {
		q.order = slices.Insert(q.order, q.at+1, fresh...)
		return span(first, len(tracks))
	}
	lowest := q.after(0)
	for _, i := range fresh {
		q.order = slices.Insert(q.order, lowest+q.rnd.IntN(len(q.order)-lowest+1), i)
	}
	return span(first, len(tracks))
}

// extend adds tracks at the end of the list and of the play order. It writes only behind what
// snapshots show of the shared slices, so that adding many tracks one by one costs no copy each,
// and the saver finds what is new.
func (q *queue) extend(tracks []Track) {
	q.version++
	for range tracks {
		q.lastID++
		q.items = append(q.items, Item{ID: q.lastID, Version: q.version})
	}
	q.order = append(q.order, span(len(q.tracks), len(tracks))...)
	q.tracks, q.round = append(q.tracks, tracks...), nil
}

// after returns the first position in play order, after the current one, behind all entries with a
// priority above the given one.
func (q *queue) after(priority int) int {
	k := len(q.order)
	for k > q.at+1 && q.items[q.order[k-1]].Priority <= priority {
		k--
	}
	return k
}

// remove removes the tracks from index first up to end. See arrange.
func (q *queue) remove(first, end int) (ended bool) {
	return q.arrange(slices.Concat(span(0, first), span(end, len(q.tracks)-end)), nil)
}

// move moves the tracks from index first up to end, so that the first of them is at to.
func (q *queue) move(first, end, to int) {
	rest := slices.Concat(span(0, first), span(end, len(q.tracks)-end))
	q.arrange(slices.Insert(rest, to, span(first, end-first)...), nil)
}

// swap exchanges two tracks.
func (q *queue) swap(i, j int) {
	from := identity(len(q.tracks))
	from[i], from[j] = j, i
	q.arrange(from, nil)
}

// shuffleList brings the tracks from index first up to end into a random sequence. If the current
// one is among them, it comes first.
func (q *queue) shuffleList(first, end int) {
	from := identity(len(q.tracks))
	if cur := q.index(); cur >= first && cur < end {
		from[first], from[cur] = cur, first
		first++
	}
	part := from[first:end]
	q.rnd.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
	q.arrange(from, nil)
}

// setPriority sets the priority of entries. When shuffling, those that are still to come move to a
// random position among their equals. One that was played in this round is played again if it
// exceeds the current one.
func (q *queue) setPriority(indexes []int, priority int) {
	q.version++
	q.items, q.order, q.round = slices.Clone(q.items), slices.Clone(q.order), nil
	for _, index := range indexes {
		item := &q.items[index]
		if item.Priority == priority {
			continue
		}
		item.Priority, item.Version = priority, q.version
		if !q.shuffle {
			continue
		}
		k := slices.Index(q.order, index)
		if k == q.at || k < q.at && priority <= q.items[q.index()].Priority {
			continue
		}
		q.order = slices.Delete(q.order, k, k+1)
		if k < q.at {
			q.at--
		}
		low, high := q.after(priority), q.after(priority-1)
		q.order = slices.Insert(q.order, low+q.rnd.IntN(high-low+1), index)
	}
}

func identity(n int) []int { return span(0, n) }

// span returns the n numbers first, first+1, …
func span(first, n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = first + i
	}
	return s
}
