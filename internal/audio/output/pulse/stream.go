package pulse

import (
	"sync"
	"time"

	"waxwing/internal/audio"
)

// stream is the player's side of a playback stream. Its methods only change the target state; the
// core, on a goroutine of its own, applies it on the server. Changes are combined: of ten seeks
// while the server is busy only the last is executed.
type stream struct {
	core *core
	wake chan struct{} // one slot: the target has changed
	stop chan struct{} // closed by Close
	done chan struct{} // closed when no goroutine is left

	mu     sync.Mutex
	closed bool
	target target
	clock  clock
	err    error
}

// target is the state that the player has requested.
type target struct {
	playing bool
	cuts    uint64 // number of cuts; the last began epoch
	epoch   uint64
	volume  float64
	woken   bool
}

func start(k *core) *stream {
	s := &stream{core: k, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	s.target = k.target
	s.target.woken = true
	s.clock.rate = k.cfg.Rate
	k.stream = s
	go func() {
		defer close(s.done)
		k.run()
	}()
	return s
}

// change changes the target state and wakes the core.
func (s *stream) change(apply func(*target)) {
	s.mu.Lock()
	apply(&s.target)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *stream) Play()  { s.change(func(w *target) { w.playing = true }) }
func (s *stream) Pause() { s.change(func(w *target) { w.playing = false }) }
func (s *stream) Wake()  { s.change(func(w *target) { w.woken = true }) }

func (s *stream) Cut(epoch uint64) {
	s.change(func(w *target) {
		w.cuts++
		w.epoch, w.woken = epoch, true
	})
}

func (s *stream) SetVolume(factor float64) { s.change(func(w *target) { w.volume = factor }) }

// Clock reports the new epoch as soon as Cut returns, although it is audible only a few
// milliseconds later.
func (s *stream) Clock() audio.Clock {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && s.target.cuts != s.clock.cuts {
		return audio.Clock{Epoch: s.target.epoch}
	}
	c := s.clock.read(time.Now())
	c.Running = c.Running && s.err == nil
	return c
}

// freeze stops the clock where it is.
func (s *stream) freeze() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.clock.heard = float64(s.clock.read(now).Heard)
	s.clock.at, s.clock.moving = now, false
}

func (s *stream) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close also waits for a Pull or Notify that is under way.
func (s *stream) Close() {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.mu.Unlock()
	if first {
		close(s.stop)
		_ = s.core.conn.nc.Close() // unblocks a write to a server that does not read
	}
	<-s.done
}
