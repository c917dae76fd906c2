package player

import (
	"math/rand/v2"
	"slices"

	"waxwing/internal/fault"
)

// maxQueue limits the tracks in a queue.
const maxQueue = 20_000

// queue is the list of tracks and their play order. It depends on neither audio, time nor files.
//
// tracks is shared with published snapshots and is therefore replaced, never modified. order is a
// permutation of its indices; without shuffle it is the identity.
type queue struct {
	tracks  []Track
	order   []int
	at      int // position of the current track in order; -1 when the queue is empty
	shuffle bool
	round   []int // the order of the next round, once upcoming has chosen it
	rnd     *rand.Rand
}

func newQueue(rnd *rand.Rand) queue { return queue{at: -1, rnd: rnd} }

func (q *queue) empty() bool { return len(q.tracks) == 0 }

// index is the current track's index in tracks; -1 when the queue is empty.
func (q *queue) index() int {
	if q.at < 0 {
		return -1
	}
	return q.order[q.at]
}

func (q *queue) current() Track { return q.tracks[q.index()] }

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
	q.rnd.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if n := len(order); n > 1 && order[0] == q.index() {
		k := 1 + q.rnd.IntN(n-1)
		order[0], order[k] = order[k], order[0]
	}
	return order
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
	rest := q.order[1:]
	q.rnd.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	q.at = 0
}

// replace replaces the queue; the track at index becomes current.
func (q *queue) replace(tracks []Track, index int) {
	q.tracks, q.round = tracks, nil
	if len(tracks) == 0 {
		q.order, q.at = nil, -1
		return
	}
	q.order = identity(len(tracks))
	q.at = index
	if q.shuffle {
		q.setShuffle(true)
	}
}

// insert adds tracks right after the current one, in the list and in play order.
func (q *queue) insert(tracks []Track) {
	if q.empty() {
		q.replace(tracks, 0)
		return
	}
	where := q.index() + 1
	q.makeRoom(tracks, where)
	q.order = slices.Insert(q.order, q.at+1, span(where, len(tracks))...)
}

// add adds tracks at the end of the list. In play order they come last or, when shuffling, at
// random positions after the current track.
func (q *queue) add(tracks []Track) {
	if q.empty() {
		q.replace(tracks, 0)
		return
	}
	where := len(q.tracks)
	q.makeRoom(tracks, where)
	for _, i := range span(where, len(tracks)) {
		k := len(q.order)
		if q.shuffle {
			k = q.at + 1 + q.rnd.IntN(len(q.order)-q.at)
		}
		q.order = slices.Insert(q.order, k, i)
	}
}

// makeRoom inserts tracks at where and renumbers order; the new indices are not in it yet.
func (q *queue) makeRoom(tracks []Track, where int) {
	q.tracks = slices.Concat(q.tracks[:where], tracks, q.tracks[where:])
	q.order = slices.Clone(q.order)
	for k, i := range q.order {
		if i >= where {
			q.order[k] = i + len(tracks)
		}
	}
	q.round = nil
}

// remove removes the track at index. If it is the current one, the next in play order becomes
// current; if there is none, ended is true and the first becomes current.
func (q *queue) remove(index int) (wasCurrent, ended bool) {
	k := slices.Index(q.order, index)
	wasCurrent = k == q.at
	q.tracks = slices.Concat(q.tracks[:index], q.tracks[index+1:])
	q.order = slices.Concat(q.order[:k], q.order[k+1:])
	for j, i := range q.order {
		if i > index {
			q.order[j] = i - 1
		}
	}
	q.round = nil
	switch {
	case len(q.order) == 0:
		q.at = -1
	case k < q.at:
		q.at--
	case wasCurrent && q.at == len(q.order):
		q.at, ended = 0, true
	}
	return wasCurrent, ended
}

// move moves the track at from to the index to. Without shuffle the play order follows the list.
func (q *queue) move(from, to int) {
	cur := q.index()
	tracks := slices.Clone(q.tracks)
	t := tracks[from]
	tracks = slices.Insert(slices.Delete(tracks, from, from+1), to, t)
	moved := func(i int) int { // the new index of the track at i
		switch {
		case i == from:
			return to
		case from < i && i <= to:
			return i - 1
		case to <= i && i < from:
			return i + 1
		}
		return i
	}
	q.tracks, q.round = tracks, nil
	if !q.shuffle {
		q.at = moved(cur)
		return
	}
	q.order = slices.Clone(q.order)
	for k, i := range q.order {
		q.order[k] = moved(i)
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
