package mpd

import (
	"sync"
	"time"
)

// report adds events to those that the client does not know yet.
func (s *session) report(e events) {
	s.pending.Or(uint32(e))
	if uint32(e)&s.mask.Load() != 0 {
		select {
		case s.wake <- struct{}{}:
		default: // it is awake already
		}
	}
}

// beginIdle replies at once if an event is pending. Otherwise the notifier replies later, and until
// then the client may only send noidle.
func (s *session) beginIdle(names []string, notifier *sync.WaitGroup) error {
	if err := s.permit(commandTable["idle"], "idle"); err != nil {
		return err
	}
	mask := events(0)
	for _, name := range names {
		e, known := eventNamed(name)
		if !known {
			return ack(codeArg, "Unrecognized idle event: %s", name)
		}
		mask |= e
	}
	if mask == 0 {
		mask = allEvents
	}
	if !s.notifier {
		s.notifier = true
		notifier.Go(s.notify)
	}
	s.idle = true
	s.mask.Store(uint32(mask))
	if s.pending.Load()&uint32(mask) != 0 { // also what was reported before mask was stored
		s.endIdle()
		return nil
	}
	s.out.flush() // replies to commands before it
	s.deadline = time.Time{}
	return s.conn.SetReadDeadline(time.Time{})
}

// endIdle replies with the pending events that the client waits for.
func (s *session) endIdle() {
	mask := s.mask.Swap(0)
	s.idle = false
	changed := s.pending.Load() & mask
	s.pending.And(^changed)
	for i, name := range eventNames {
		if changed&(1<<i) != 0 {
			s.out.text("changed: " + name + "\n")
		}
	}
	s.out.text("OK\n")
}

// notify ends the idle command when an event arrives, until the connection ends.
func (s *session) notify() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.wake:
		}
		s.mu.Lock()
		if s.idle && s.pending.Load()&s.mask.Load() != 0 {
			s.endIdle()
			s.out.flush()
			s.deadline = time.Now().Add(idleTimeout)
			_ = s.conn.SetReadDeadline(s.deadline) // a closed connection is noticed by its reader
		}
		failed := s.out.err != nil
		s.mu.Unlock()
		if failed {
			_ = s.conn.Close()
			return
		}
	}
}
