package catalog

import (
	"context"
	"database/sql"
	"math"
	"math/bits"
	"slices"
	"sync"
	"time"
)

const (
	// trendingHalfLife is the time in which the weight of a play halves.
	trendingHalfLife = 72 * time.Hour
	// trendingOrigin is T0, in milliseconds: 2026-01-01. It does not affect the order.
	trendingOrigin = 1767225600000
	// repeatWindow is the time within which plays of a song by one listener count once.
	repeatWindow = 30 * time.Minute
)

// Play is one playback of a song for at least 30 s or half its length.
type Play struct {
	SongID      string
	Listener    Viewer
	PlayedAt    time.Time
	Idempotency string // optional key; plays with the same key are one play
	Source      string // name of the key or program that reports it, for the history; may be empty
}

// RecordPlay stores a play and reports whether it counts. Repeating a play with its idempotency key
// changes nothing and has the same result; using the key of another play is a Conflict. A time in
// the future is taken as now.
//
// Concurrent plays are written together. Each is acknowledged when its transaction is on the disk.
func (s *Store) RecordPlay(ctx context.Context, p Play) (counted bool, err error) {
	if !isID(songPrefix, p.SongID) {
		return false, notFound("song", p.SongID)
	}
	q := &queuedPlay{Play: p, done: make(chan struct{})}
	s.plays.add(q)
	for {
		select {
		case <-q.done:
			return q.counted, q.err
		case <-ctx.Done():
			if s.plays.withdraw(q) {
				return false, s.d.explain(ctx.Err())
			}
			<-q.done // it is being written
			return q.counted, q.err
		case s.plays.lock <- struct{}{}:
			s.writePlays(ctx)
			<-s.plays.lock
		}
	}
}

const (
	playsAtOnce = 256 // within the parameter limit of a statement
	playTime    = 5 * time.Second
)

// playQueue holds waiting plays. The caller that holds lock writes them.
type playQueue struct {
	lock chan struct{}

	mu      sync.Mutex
	waiting []*queuedPlay
}

// queuedPlay is a play and, once done is closed, its result.
type queuedPlay struct {
	Play
	counted bool
	err     error
	done    chan struct{}
}

func newPlayQueue() *playQueue { return &playQueue{lock: make(chan struct{}, 1)} }

func (q *playQueue) add(p *queuedPlay) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, p)
}

// withdraw removes a play of a cancelled request, and reports whether it was still waiting.
func (q *playQueue) withdraw(p *queuedPlay) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.Index(q.waiting, p)
	if at < 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, at, at+1)
	return true
}

// take removes and returns the plays to write next. Their number is a power of two, so that there
// are few different statements and the database can reuse their plans.
func (q *playQueue) take() []*queuedPlay {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waiting), playsAtOnce)
	if n > 0 {
		n = 1 << (bits.Len(uint(n)) - 1)
	}
	batch := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	return batch
}

// writePlays writes waiting plays of all callers. The end of one request does not cancel it.
func (s *Store) writePlays(ctx context.Context) {
	batch := s.plays.take()
	if len(batch) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), playTime)
	defer cancel()
	err := s.change(ctx, durable, func(t *tx) error { return t.recordPlays(ctx, batch) })
	for _, p := range batch {
		if err != nil {
			p.counted, p.err = false, err
		}
		close(p.done)
	}
	if s.newPlays.waiting.Add(int64(len(batch))) >= sumAtOnce { // nobody reads the counts
		s.newPlays.waiting.Store(0)
		s.sumPlays(ctx)
	}
}

// addHeat adds a play to a song's heat, the binary logarithm of the sum of 2^((t-T0)/H) over its
// plays. Logarithms do not overflow, and all songs decay alike, so stored heats never need an
// update.
func addHeat(heat sql.NullFloat64, at int64) float64 {
	weight := float64(at-trendingOrigin) / float64(trendingHalfLife.Milliseconds())
	if !heat.Valid {
		return weight
	}
	high, low := max(heat.Float64, weight), min(heat.Float64, weight)
	return high + math.Log1p(math.Exp2(low-high))/math.Ln2
}
