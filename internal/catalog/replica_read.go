package catalog

import (
	"context"
	"errors"
	"sync/atomic"

	"waxwing/internal/fault"
)

// Read calls f with a context with which the methods of Store read from a replica that has
// everything of the newest known view, or from the primary if none has. If the replica fails, f is
// called again for the primary. So f must change nothing.
func (s *Store) Read(ctx context.Context, f func(ctx context.Context) error) error {
	if len(s.replicas.all) == 0 {
		return f(ctx)
	}
	r, bound := s.chooseReplica()
	if r == nil {
		s.replicas.reads.Add(1)
		return f(ctx)
	}
	attempt, cancel := context.WithTimeout(context.WithValue(ctx, boundStore{}, bound), replicaTime)
	bound.pin.end = cancel
	err := f(attempt)
	cancel()
	outdated := err != nil && bound.pin.outdated.Load()
	kind, _ := fault.Of(err)
	failed := !outdated && (kind == fault.Unavailable || errors.Is(err, context.DeadlineExceeded))
	if ctx.Err() != nil || !failed && !outdated {
		r.reads.Add(1)
		return err
	}
	if failed && !isCode(err, "40001") { // a row was needed that the primary has removed: the replica itself is fine
		r.unusable("a query failed")
		r.wake()
	}
	s.replicas.reads.Add(1)
	return f(ctx)
}

// pin is what a request that reads from a replica relies on.
type pin struct {
	view *View // the replica has everything of this view, but perhaps not of a newer one
	// summed is newPlays.summed when the replica was chosen: it has the counts of these plays.
	summed   int64
	outdated atomic.Bool // the replica lacks counts that the request needs
	end      context.CancelFunc
}

// needSummed ends the reads if they need counts of plays that the replica lacks, before anything is
// found by them.
func (p *pin) needSummed() {
	if p.summed < p.view.personal {
		p.outdated.Store(true)
		p.end()
	}
}

// boundStore is the key of the store that reads of a context go to.
type boundStore struct{}

// on returns the store that the reads of ctx go to.
func (s *Store) on(ctx context.Context) *Store {
	if len(s.replicas.all) == 0 || s.pin != nil {
		return s
	}
	if bound, ok := ctx.Value(boundStore{}).(*Store); ok && bound.shared == s.shared {
		return bound
	}
	return s
}

// chooseReplica returns a replica that has everything of the newest view, and the store that reads
// from it; nil if there is none. It takes turns among several.
func (s *Store) chooseReplica() (*replica, *Store) {
	all := s.replicas.all
	first := s.replicas.turn.Add(1)
	for i := range all {
		r := all[(first+uint64(i))%uint64(len(all))]
		if bound := s.bind(r); bound != nil {
			return r, bound
		}
	}
	return nil, nil
}

// bind returns a store that reads from a replica, nil if it is not current. The position is read
// last: it is never older than what was read before it.
func (s *Store) bind(r *replica) *Store {
	p := &pin{summed: s.newPlays.summed.Load(), view: s.view.Load()}
	need := s.replicas.needed.Load()
	if !r.has.Load().covers(need, p.view) {
		return nil
	}
	return &Store{shared: s.shared, source: r.source, pin: p}
}

// readers returns the stores that requests read from now.
func (s *Store) readers() (stores []*Store) {
	for _, r := range s.replicas.all {
		if bound := s.bind(r); bound != nil {
			stores = append(stores, bound)
		}
	}
	if len(stores) == 0 {
		return []*Store{s}
	}
	return stores
}

// ReplicaStats describes a replica.
type ReplicaStats struct {
	Name    string // its host
	Problem string // why it is not used now; "" if it is
	Behind  int64  // bytes of the write-ahead log, as far as known
	Reads   int64  // requests that were read from it
}

// Replicas describes the configured replicas; primary is the number of requests whose reads went to
// the primary.
func (s *Store) Replicas() (all []ReplicaStats, primary int64) {
	need := s.replicas.needed.Load()
	for _, r := range s.replicas.all {
		stats := ReplicaStats{Name: r.name, Reads: r.reads.Load()}
		if why := r.state.Load(); why != nil {
			stats.Problem = *why
		}
		if has := r.has.Load(); has != nil && need != nil {
			stats.Behind = max(0, need.lsn-has.lsn)
		}
		all = append(all, stats)
	}
	return all, s.replicas.reads.Load()
}

// CheckReplica returns an error that says why a database cannot serve as a replica, or nil.
func CheckReplica(ctx context.Context, dsn string) error {
	cfg, err := postgresConfig(dsn)
	if err != nil {
		return err
	}
	read := openPool(cfg)
	defer read.Close()
	r := &replica{source: &source{read: read}}
	_, err = r.ask(ctx)
	return err
}
