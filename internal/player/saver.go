package player

import (
	"context"
	"log/slog"
	"sync"
	"time"
	"unsafe"
)

// syncAfter is how long a saved state may be known to the kernel alone. It is short enough for a
// power cut to cost little and long enough to fold a burst of commands into one sync.
const syncAfter = time.Second

// saver writes states to the journal on its own goroutine, so that neither the owner nor playback ever
// waits for a disk. It keeps only the newest state that is still to be written.
type saver struct {
	journal *journal
	log     *slog.Logger
	wake    chan struct{} // one slot

	mu      sync.Mutex
	pending *ticket

	// Used by run alone.
	written record // what the journal holds, for leaving out what has not changed
	failing bool   // the last write failed: said once in the log
}

// ticket stands for a state on its way to the journal.
type ticket struct {
	state record
	sync  bool
	done  chan struct{} // closed when err is set
	err   error
}

func newSaver(j *journal, restored *record, log *slog.Logger) *saver {
	s := &saver{journal: j, log: log, wake: make(chan struct{}, 1)}
	if restored != nil {
		s.written = *restored
	}
	return s
}

// submit hands a whole state over. The ticket is done when it, or a newer one, is in the journal.
func (s *saver) submit(state record, sync bool) *ticket {
	s.mu.Lock()
	if s.pending == nil {
		s.pending = &ticket{done: make(chan struct{})}
	}
	t := s.pending
	t.state, t.sync = state, t.sync || sync
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return t
}

// wait returns when the ticket is done.
func (t *ticket) wait() error {
	<-t.done
	return t.err
}

// run writes until ctx is done and nothing is pending any more.
func (s *saver) run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case <-s.wake:
			if s.writePending() {
				timer.Reset(syncAfter)
			}
		case <-timer.C:
			if err := s.journal.sync(); err != nil {
				s.log.Warn("the player's state may not survive a power cut", "err", err)
			}
		case <-ctx.Done():
			s.writePending()
			if err := s.journal.close(); err != nil {
				s.log.Warn("the player's state was not saved whole", "err", err)
			}
			return
		}
	}
}

// writePending writes the newest state and reports whether it wants a sync.
func (s *saver) writePending() (sync bool) {
	s.mu.Lock()
	t := s.pending
	s.pending = nil
	s.mu.Unlock()
	if t == nil {
		return false
	}
	line := t.state
	if s.written.Tracks != nil && sameSlice(*line.Tracks, *s.written.Tracks) {
		line.Tracks = nil
	}
	if s.written.Order != nil && sameSlice(*line.Order, *s.written.Order) {
		line.Order = nil
	}
	t.err = s.journal.append(line, func() record { return t.state })
	switch {
	case t.err == nil:
		s.written = t.state
		if s.failing {
			s.log.Info("the player's state is saved again")
		}
	default:
		s.written = record{} // the next line has to be whole
		if !s.failing {
			s.log.Error("cannot save the player's state; playback goes on", "err", t.err)
		}
	}
	s.failing = t.err != nil
	close(t.done)
	return t.sync
}

// sameSlice reports whether two slices are one. Queue and order are replaced, never
// modified, so being one is the same as being equal, and costs nothing to find out.
func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || unsafe.SliceData(a) == unsafe.SliceData(b))
}
