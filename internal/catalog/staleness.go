package catalog

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxStaleness limits the age of the view that a response is based on, even if notifications are
	// lost. A revoked key works no longer than this.
	maxStaleness = 800 * time.Millisecond
	// retryPause is the pause after a failed query.
	retryPause = 250 * time.Millisecond
)

// staleness records when the view was last confirmed to be the newest.
type staleness struct {
	at atomic.Int64 // nanoseconds after since

	mu     sync.Mutex
	since  time.Time
	query  chan struct{} // closed when the running query ends
	failed time.Time
	err    error
}

func newStaleness() *staleness { return &staleness{since: time.Now()} }

// confirm records that the view was the newest at a time.
func (f *staleness) confirm(at time.Time) {
	confirmed := int64(at.Sub(f.since))
	for {
		known := f.at.Load()
		if known >= confirmed || f.at.CompareAndSwap(known, confirmed) {
			return
		}
	}
}

func (f *staleness) age() time.Duration { return time.Since(f.since) - time.Duration(f.at.Load()) }

// Current ensures that the view is at most maxStaleness old, or returns an Unavailable fault. A
// busy server polls ahead of time, so that no request waits; the first request after an idle time
// waits for one small query.
func (s *Store) Current(ctx context.Context) error {
	switch age := s.staleness.age(); {
	case age < maxStaleness/2:
		return nil
	case age < maxStaleness:
		s.requestPoll()
		return nil
	}
	return s.staleness.wait(ctx, s)
}

// wait lets one caller read the view for all that wait. Shortly after a failure it returns the same
// error without a query, to keep the connections free.
func (f *staleness) wait(ctx context.Context, s *Store) error {
	enough := time.Since(f.since) - maxStaleness
	for time.Duration(f.at.Load()) < enough { // a query that was already running may confirm too old a view
		f.mu.Lock()
		if f.query == nil && f.err != nil && time.Since(f.failed) < retryPause {
			defer f.mu.Unlock()
			return f.err
		}
		query, first := f.query, f.query == nil
		if first {
			query = make(chan struct{})
			f.query = query
		}
		f.mu.Unlock()
		if first {
			f.refresh(ctx, s)
		}
		select {
		case <-query:
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

// refresh reads the view for all that wait, so the end of one request does not cancel it.
func (f *staleness) refresh(ctx context.Context, s *Store) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.d.timeout)
	defer cancel()
	err := s.d.explain(s.reload(ctx))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
	if err != nil {
		f.failed = time.Now()
	}
	close(f.query)
	f.query = nil
}
