package player

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"waxwing/internal/statefile"
)

// syncAfter is how long a saved state may be known to the kernel alone. It is short enough for a
// power cut to cost little and long enough to fold a burst of commands into one sync.
const syncAfter = time.Second

// saver writes states to the journal beside the owner, so that neither it nor playback ever waits for a
// disk: whoever waits for a state to be saved writes it, and run what nobody waits for. It keeps only the newest
// state that is still to be written.
type saver struct {
	log  *slog.Logger
	wake chan struct{} // one slot

	failures atomic.Int64

	mu      sync.Mutex
	pending *ticket

	// writing is taken before mu, by whoever uses what follows.
	writing  sync.Mutex
	journal  *journal
	unsynced *time.Timer // fires when it is time to settle
	newest   record      // the last state that was handed over
	written  record      // what the journal holds, for leaving out what has not changed
	failing  bool        // the journal does not hold newest: said once in the log

	syncing chan synced // of run alone; nil: no sync is under way
}

// synced is how the sync of a file went.
type synced struct {
	file statefile.File
	err  error
}

// ticket stands for a state on its way to the journal.
type ticket struct {
	saver *saver
	state record
	sync  bool
	done  chan struct{} // closed when err is set
	err   error
}

func newSaver(j *journal, restored *record, log *slog.Logger) *saver {
	s := &saver{journal: j, log: log, wake: make(chan struct{}, 1), unsynced: time.NewTimer(time.Hour)}
	s.unsynced.Stop()
	if restored != nil {
		s.written = *restored
	}
	return s
}

// submit hands a whole state over, to be written by who waits for the ticket. The ticket is done when that state, or
// a newer one, is in the journal.
func (s *saver) submit(state record, sync bool) *ticket {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending == nil {
		s.pending = &ticket{saver: s, done: make(chan struct{})}
	}
	t := s.pending
	t.state, t.sync = state, t.sync || sync
	return t
}

// writeLater has run write a state for which nobody waits. A ticket of nil is that of a state which is saved already.
func (t *ticket) writeLater() {
	if t == nil {
		return
	}
	select {
	case t.saver.wake <- struct{}{}:
	default:
	}
}

// wait returns when the ticket is done.
func (t *ticket) wait() error {
	if t == nil {
		return nil
	}
	t.saver.writePending()
	<-t.done
	return t.err
}

// run writes until ctx is done and nothing is pending any more.
func (s *saver) run(ctx context.Context) {
	defer s.unsynced.Stop()
	for {
		select {
		case <-s.wake:
			s.writePending()
		case <-s.unsynced.C:
			s.syncJournal()
		case done := <-s.syncing:
			s.synced(done)
		case <-ctx.Done():
			s.close()
			return
		}
	}
}

// close writes what is left and lets go of the journal.
func (s *saver) close() {
	s.writePending()
	if s.syncing != nil {
		s.synced(<-s.syncing)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if !s.failing {
		s.logResult(s.journal.sync())
	}
	if s.failing {
		_ = s.write() // logResult has said what there is to say
	}
	s.journal.discardFile()
}

// writePending writes the newest state.
func (s *saver) writePending() {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	t := s.pending
	s.pending = nil
	s.mu.Unlock()
	if t == nil {
		return
	}
	s.newest = t.state
	t.err = s.write()
	close(t.done)
	if t.sync || t.err != nil {
		s.unsynced.Reset(syncAfter)
	}
}

// write appends the newest state. The caller holds writing.
func (s *saver) write() error {
	line := s.newest
	if s.written.Tracks != nil && sameSlice(*line.Tracks, *s.written.Tracks) {
		line.Tracks = nil
	}
	if s.written.Order != nil && sameSlice(*line.Order, *s.written.Order) {
		line.Order = nil
	}
	err := s.journal.append(line, func() record { return s.newest })
	if err == nil {
		s.written = s.newest
	}
	s.logResult(err)
	return err
}

// syncJournal begins to make what was written survive a power cut, or tries once more to write what
// could not be written. A busy disk may take seconds to sync, for which no command has to wait: that
// happens beside the writing.
func (s *saver) syncJournal() {
	s.writing.Lock()
	defer s.writing.Unlock()
	switch {
	case s.failing:
		if s.write() != nil { // into a new file, which is synced with it
			s.unsynced.Reset(syncAfter)
		}
	case s.syncing != nil:
		s.unsynced.Reset(syncAfter)
	case s.journal.file != nil:
		file, syncing := s.journal.file, make(chan synced, 1)
		s.syncing = syncing
		go func() { syncing <- synced{file, file.Sync()} }()
	}
}

// synced takes note of how a sync went. A system that could not do so may have discarded the records and call
// them clean, so after an error the file is given up, unless another has taken its place already.
func (s *saver) synced(done synced) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.syncing = nil
	if done.err == nil || done.file != s.journal.file {
		return
	}
	s.journal.discardFile()
	s.logResult(fmt.Errorf("save the player's state: %w", done.err))
	s.unsynced.Reset(syncAfter)
}

// logResult logs when saving begins to fail and when it works again, however often it is tried between. The caller holds
// writing.
func (s *saver) logResult(err error) {
	if err != nil {
		s.failures.Add(1)
	}
	switch {
	case err != nil && !s.failing:
		s.log.Error("cannot save the player's state; playback goes on", "err", err)
	case err == nil && s.failing:
		s.log.Info("the player's state is saved again")
	}
	s.failing = err != nil
}

// sameSlice reports whether two slices are one. Queue and order are replaced, never
// modified, so being one is the same as being equal, and costs nothing to find out.
func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || unsafe.SliceData(a) == unsafe.SliceData(b))
}
