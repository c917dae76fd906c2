package mpd

import (
	"sync"
	"time"
)

// report adds events to those that the client does not know yet. It never waits for the client. The
// result is whether it has ended an idle command: then renew is due.
func (s *session) report(e events) (ended bool) {
	s.pending.Or(uint32(e))
	if uint32(e)&s.mask.Load() == 0 {
		return false
	}
	if s.push() {
		return true
	}
	select {
	case s.wake <- struct{}{}:
	default: // it is awake already
	}
	return false
}

// push ends the idle command if the system takes its reply at once. Otherwise the notifier does so:
// a further goroutine costs time, which most clients do not need.
func (s *session) push() bool {
	if s.raw == nil || !s.mu.TryLock() {
		return false
	}
	defer s.mu.Unlock()
	changed := s.pending.Load() & s.mask.Load()
	if !s.idle || changed == 0 || s.out.buf != nil || s.out.err != nil {
		return false
	}
	var reply [512]byte // all events
	b := appendChanges(reply[:0], changed)
	n := tryWrite(s.raw, b)
	if n <= 0 {
		return false
	}
	s.endIdle(changed)
	if n < len(b) { // the notifier sends the rest
		s.out.raw(b[n:])
		return false
	}
	return true
}

// renew limits the time for the next command, after idle. A session that executes a command does so
// itself.
func (s *session) renew() {
	if !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	if !s.idle {
		s.deadline = time.Now().Add(idleTimeout)
		_ = s.conn.SetReadDeadline(s.deadline) // a closed connection is noticed by its reader
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
		s.replyIdle()
		return nil
	}
	s.out.flush() // replies to commands before it
	s.deadline = time.Time{}
	return s.conn.SetReadDeadline(time.Time{})
}

// endIdle ends the idle command. The client knows the changed events from its reply.
func (s *session) endIdle(changed uint32) {
	s.mask.Store(0)
	s.idle = false
	s.pending.And(^changed)
}

// replyIdle replies with the pending events that the client waits for.
func (s *session) replyIdle() {
	changed := s.pending.Load() & s.mask.Load()
	s.endIdle(changed)
	s.out.set(appendChanges(s.out.bytes(), changed))
}

func appendChanges(b []byte, changed uint32) []byte {
	for i, name := range eventNames {
		if changed&(1<<i) != 0 {
			b = append(append(append(b, "changed: "...), name...), '\n')
		}
	}
	return append(b, "OK\n"...)
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
			s.replyIdle()
		}
		s.out.flush()
		failed := s.out.err != nil
		s.mu.Unlock()
		s.renew()
		if failed {
			_ = s.conn.Close()
			return
		}
	}
}
