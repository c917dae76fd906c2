package scan

import (
	"sync"
	"time"
)

// Stats are the sums over all scans of this process.
type Stats struct {
	Scans, Failures int64 // that ended well, and that did not
	Found           int64 // audio files met
	Read            int64 // of those, new or changed and therefore read
	Problems        int64 // of those, not readable
	LastSuccess     time.Time
	LastTook        time.Duration // of the last scan that ended well
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

// Stats tells of the scans that have ended.
func (s *Scanner) Stats() Stats {
	s.totals.mu.Lock()
	defer s.totals.mu.Unlock()
	return s.totals.Stats
}
