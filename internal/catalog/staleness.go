package catalog

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// freshFor bounds how old the view may be on which an answer rests, whatever happened to the
	// notices of other servers: a page is never staler, a revoked key never opens anything longer.
	freshFor = 800 * time.Millisecond
	// proofPause is how long a server lets a database alone that could not say what is new.
	proofPause = 250 * time.Millisecond
)

// freshness remembers when the view was last known to be the newest.
type freshness struct {
	at atomic.Int64 // nanoseconds after since

	mu     sync.Mutex
	since  time.Time
	asking chan struct{} // closed when the question under way is answered
	failed time.Time
	err    error
}

func newFreshness() *freshness { return &freshness{since: time.Now()} }

// prove notes that the view was the newest at a moment.
func (f *freshness) prove(at time.Time) {
	moment := int64(at.Sub(f.since))
	for {
		known := f.at.Load()
		if known >= moment || f.at.CompareAndSwap(known, moment) {
			return
		}
	}
}

func (f *freshness) age() time.Duration { return time.Since(f.since) - time.Duration(f.at.Load()) }

// Current makes sure that the view is fresh enough to answer from, or returns an Unavailable fault.
// A busy server asks ahead of time, so that no request waits for the answer; the first request after
// a silence waits for one small query.
func (s *Store) Current(ctx context.Context) error {
	switch age := s.fresh.age(); {
	case age < freshFor/2:
		return nil
	case age < freshFor:
		s.stir()
		return nil
	}
	return s.fresh.ask(ctx, s)
}

// ask has one caller read the view for all who wait. Right after a failure nobody tries again: all
// of them would wait in vain and keep the connections busy.
func (f *freshness) ask(ctx context.Context, s *Store) error {
	enough := time.Since(f.since) - freshFor
	for time.Duration(f.at.Load()) < enough { // what was under way when we came may prove too old a view
		f.mu.Lock()
		if f.asking == nil && f.err != nil && time.Since(f.failed) < proofPause {
			defer f.mu.Unlock()
			return f.err
		}
		asking, first := f.asking, f.asking == nil
		if first {
			asking = make(chan struct{})
			f.asking = asking
		}
		f.mu.Unlock()
		if first {
			f.answer(ctx, s)
		}
		select {
		case <-asking:
		case <-ctx.Done():
			return s.d.explain(ctx.Err())
		}
		f.mu.Lock()
		err := f.err
		f.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// answer reads the view on behalf of all who ask, so the end of one request does not end it.
func (f *freshness) answer(ctx context.Context, s *Store) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.d.patience)
	defer cancel()
	err := s.d.explain(s.reload(ctx))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
	if err != nil {
		f.failed = time.Now()
	}
	close(f.asking)
	f.asking = nil
}
