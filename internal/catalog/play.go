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
	// trendingHalfLife is how long a play takes to weigh half.
	trendingHalfLife = 72 * time.Hour
	// trendingOrigin is T0, in milliseconds: 2026-01-01. Any other would order songs the same.
	trendingOrigin = 1767225600000
	// repeatWindow is how soon the same song by the same listener counts once only.
	repeatWindow = 30 * time.Minute
)

// Play is one listening of a song, heard for 30 s or half its length.
type Play struct {
	SongID      string
	Listener    Viewer
	PlayedAt    time.Time
	Idempotency string // empty: none; otherwise the same one is the same play
}

// RecordPlay notes a play and reports whether it counts. A play that is sent again under its
// idempotency key changes nothing and gets the same answer; under the key of another play it is a
// Conflict. A play from the future counts as now.
//
// Plays that come at once are written together: each is acknowledged when the transaction that
// holds it has reached the disk.
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
			<-q.done // it is being written, and the answer is near
			return q.counted, q.err
		case s.plays.turn <- struct{}{}:
			s.writePlays(ctx)
			<-s.plays.turn
		}
	}
}

const (
	playsAtOnce = 256 // their parameters are well below what a statement may have
	playTime    = 5 * time.Second
)

// playQueue holds the plays that wait for the one writer of plays, which is whichever caller has the turn.
type playQueue struct {
	turn chan struct{}

	mu      sync.Mutex
	waiting []*queuedPlay
}

// queuedPlay is a play and, once done is closed, its answer.
type queuedPlay struct {
	Play
	counted bool
	err     error
	done    chan struct{}
}

func newPlayQueue() *playQueue { return &playQueue{turn: make(chan struct{}, 1)} }

func (q *playQueue) add(p *queuedPlay) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, p)
}

// withdraw takes a play back whose sender has gone, and reports whether that was still possible.
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

// take returns the plays to write next: as many as wait, down to a power of two. So there are few
// different statements, and a database that remembers their plans has seen them before.
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

// writePlays writes what waits, for all who sent it: the end of one request does not end it.
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
}

// addHeat adds a play to a song's heat, which is the logarithm of the sum of its plays' weights
// 2^((t-T0)/H). In logarithms nothing overflows, however late the play or many the years, and all
// songs decay alike, so that the order never has to be computed again.
func addHeat(heat sql.NullFloat64, at int64) float64 {
	weight := float64(at-trendingOrigin) / float64(trendingHalfLife.Milliseconds())
	if !heat.Valid {
		return weight
	}
	high, low := max(heat.Float64, weight), min(heat.Float64, weight)
	return high + math.Log1p(math.Exp2(low-high))/math.Ln2
}
