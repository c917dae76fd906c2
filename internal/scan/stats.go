package scan

import (
	"sync"
	"time"
)

// Stats holds sums over all scans of this process.
type Stats struct {
	Scans, Failures int64 // by result
	Found           int64 // audio files
	Read            int64 // of those, new or changed
	Problems        int64 // of those, unreadable
	LastSuccess     time.Time
	LastTook        time.Duration // of the last successful scan
}

type totals struct {
	mu sync.Mutex
	Stats
}

func (t *totals) add(p Progress, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Found += p.Found
	t.Read += p.Done
	t.Problems += p.Problems
	if err != nil {
		t.Failures++
		return
	}
	t.Scans++
	t.LastSuccess, t.LastTook = p.Finished, p.Finished.Sub(p.Started)
}

// Stats returns the sums over all finished scans.
func (s *Scanner) Stats() Stats {
	s.totals.mu.Lock()
	defer s.totals.mu.Unlock()
	return s.totals.Stats
}
