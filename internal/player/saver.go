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

// syncAfter is the delay from a write to the sync of the file. It is short enough for a power cut
// to lose little and long enough to combine a burst of commands into one sync.
const syncAfter = time.Second

// saver writes states to the journal, so that the player's owner never waits for a disk. A caller
// that waits for a state writes it; run writes the others. Only the newest pending state is kept.
type saver struct {
	log  *slog.Logger
	wake chan struct{} // one slot

	failures atomic.Int64

	mu      sync.Mutex
	pending *ticket

	// writing guards the fields below. It is locked before mu.
	writing  sync.Mutex
	journal  *journal
	unsynced *time.Timer // fires when it is time to sync
	newest   record      // the last submitted state
	written  record      // the state in the journal, to omit what has not changed
	failing  bool        // the journal lacks newest, and this was logged

	syncing chan synced // used by run only; nil: no sync is under way
}

// synced is the result of the sync of a file.
type synced struct {
	file statefile.File
	err  error
}

// ticket is a state that is to be written to the journal.
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

// submit makes state the one to be written, by wait or by run after writeLater. The ticket is done
// when that state, or a newer one, is in the journal.
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

// writeLater makes run write the state. A nil ticket stands for a state that is saved already.
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

// close writes what is left and closes the journal.
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
		_ = s.write() // it was logged
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
	err := s.journal.append(s.newest.since(s.written), func() record { return s.newest })
	if err == nil {
		s.written = s.newest
	}
	s.logResult(err)
	return err
}

// syncJournal starts to flush the journal to the disk, or retries a write that failed. A busy disk
// may take seconds, so the sync runs on a goroutine of its own and no command waits for it.
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

// synced handles the result of a sync. After a failed sync the system may have dropped the written
// pages, so the file is discarded, unless another has replaced it already.
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

// logResult logs the first failure in a row and the first success after it. The caller holds
// writing.
func (s *saver) logResult(err error) {
	if err != nil {
		s.failures.Add(1)
	}
	switch {
	case err != nil && !s.failing:
		s.log.Error("cannot save the player's state; playback continues", "err", err)
	case err == nil && s.failing:
		s.log.Info("the player's state is saved again")
	}
	s.failing = err != nil
}

// sameSlice reports whether two slices share their memory. Queue and order are replaced or
// extended, never modified, so this is a fast test for equality.
func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || unsafe.SliceData(a) == unsafe.SliceData(b))
}

// extends reports whether a is b, or b with more behind it, in the same memory.
func extends[T any](a, b []T) bool {
	return len(b) > 0 && len(a) >= len(b) && unsafe.SliceData(a) == unsafe.SliceData(b)
}
