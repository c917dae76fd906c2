package output

import (
	"math"
	"sync"
	"time"

	"waxwing/internal/audio"
)

// clockedBuffer is how far a clocked stream pulls ahead, as a device does. It is refilled when half
// of it is used.
const clockedBuffer = 200 * time.Millisecond

// clocked is a stream whose device is the system's clock. Frames that the clock has passed go to
// sink; the others can still be cut. Commands take effect at once, so Heard is exact to the frame.
type clocked struct {
	cfg  audio.StreamConfig
	sink func(frames []float32) error // nil: no sink
	wake chan struct{}                // one slot: something has changed
	stop chan struct{}                // closed by Close
	done chan struct{}                // closed when the goroutine has ended

	mu      sync.Mutex
	closed  bool
	err     error
	cuts    uint64 // number of cuts; the last began epoch
	epoch   uint64
	playing bool
	volume  float64 // the target
	level   float64 // the volume of the last frame
	woken   bool    // Pull may have frames
	last    bool    // Pull has no more frames in this epoch

	buf     []float32 // pulled and not yet passed; begins with frame first of the epoch
	first   int64
	pulled  int64
	out     []float32 // passed, scaled, and not yet given to sink
	running bool
	since   time.Time // while running: the time at which
	heard   int64     // frames had been heard
}

func newClocked(cfg audio.StreamConfig, sink func([]float32) error) *clocked {
	s := &clocked{
		cfg: cfg, sink: sink, volume: cfg.Volume, level: cfg.Volume, woken: true,
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		s.run()
	}()
	return s
}

// change applies f to an open stream and wakes its goroutine.
func (s *clocked) change(f func(now time.Time)) {
	s.mu.Lock()
	if s.err == nil && !s.closed {
		f(time.Now())
	}
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *clocked) Play() { s.change(func(time.Time) { s.playing = true }) }

func (s *clocked) Pause() {
	s.change(func(now time.Time) {
		s.stopClock(now)
		s.playing = false
	})
}

func (s *clocked) Cut(epoch uint64) {
	s.change(func(now time.Time) {
		s.stopClock(now)
		s.collect(now)
		s.buf = s.buf[:0]
		s.first, s.pulled, s.heard = 0, 0, 0
		s.cuts++
		s.epoch, s.woken, s.last = epoch, true, false
	})
}

func (s *clocked) Wake() { s.change(func(time.Time) { s.woken = true }) }

func (s *clocked) SetVolume(factor float64) {
	s.change(func(now time.Time) {
		s.collect(now)
		s.volume = factor
	})
}

func (s *clocked) Clock() audio.Clock {
	s.mu.Lock()
	defer s.mu.Unlock()
	heard := s.heardAt(time.Now())
	return audio.Clock{Epoch: s.epoch, Heard: heard, Running: s.running && heard < s.pulled}
}

func (s *clocked) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close also waits for a Pull or Notify that is under way.
func (s *clocked) Close() {
	s.mu.Lock()
	first := !s.closed
	s.stopClock(time.Now())
	s.closed = true
	s.mu.Unlock()
	if first {
		close(s.stop)
	}
	<-s.done
}

// heardAt is the number of frames heard at now.
func (s *clocked) heardAt(now time.Time) int64 {
	if !s.running {
		return s.heard
	}
	return min(s.heard+int64(now.Sub(s.since).Seconds()*float64(s.cfg.Rate)), s.pulled)
}

// stopClock stops the clock at now.
func (s *clocked) stopClock(now time.Time) {
	s.heard, s.running = s.heardAt(now), false
}

// run writes passed frames to the sink, pulls ahead, and starts and stops the clock.
func (s *clocked) run() {
	timer := time.NewTimer(math.MaxInt64)
	defer timer.Stop()
	chunk := make([]float32, 2*int(clockedBuffer.Seconds()*float64(s.cfg.Rate)))
	var block []float32
	for {
		s.mu.Lock()
		now, ran := time.Now(), s.running
		if s.heardAt(now) == s.pulled {
			s.stopClock(now) // starved, or at the end
		}
		s.collect(now)
		block, s.out = s.out, block[:0]
		closed, epoch, cuts := s.closed, s.epoch, s.cuts
		free := 0
		if s.woken && !s.last {
			free = len(chunk) - len(s.buf)
		}
		s.mu.Unlock()

		if s.sink != nil && len(block) > 0 {
			if err := s.sink(block); err != nil && !closed {
				s.fail(err)
				return
			}
		}
		if closed {
			return
		}
		if free > 0 {
			n, last := s.cfg.Pull(epoch, chunk[:free])
			s.pulledChunk(cuts, chunk[:2*n], 2*n < free, last)
		}

		s.mu.Lock()
		now = time.Now()
		if s.playing && !s.running && s.heard < s.pulled {
			s.running, s.since = true, now
		}
		turned := ran != s.running && s.playing
		wait := s.untilDue(now)
		s.mu.Unlock()
		if turned {
			s.cfg.Notify()
		}
		timer.Reset(wait)
		select {
		case <-s.wake:
		case <-s.stop:
		case <-timer.C:
		}
	}
}

// pulledChunk stores pulled frames, unless there was a cut meanwhile.
func (s *clocked) pulledChunk(cuts uint64, chunk []float32, short, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cuts != cuts {
		return // the cut has sent a wake
	}
	s.buf = append(s.buf, chunk...)
	s.pulled += int64(len(chunk) / 2)
	s.last = last
	if short {
		s.woken = false
	}
}

// collect moves the frames that the clock has passed from the buffer to out, scaled.
func (s *clocked) collect(now time.Time) {
	heard := s.heardAt(now)
	n := int(2 * (heard - s.first))
	if s.sink != nil {
		s.out, s.level = scale(s.out, s.buf[:n], s.level, s.volume, s.cfg.Rate)
	}
	s.buf = append(s.buf[:0], s.buf[n:]...)
	s.first = heard
}

// untilDue is the time until the buffer is half empty, or empty when Pull has no more frames;
// unlimited while the clock is stopped.
func (s *clocked) untilDue(now time.Time) time.Duration {
	switch {
	case !s.running:
		return math.MaxInt64
	case s.woken && !s.last:
		return clockedBuffer / 2
	}
	frames := s.pulled - s.heardAt(now)
	// Rounded up, so that the last frame has passed when the timer fires.
	return time.Duration(float64(frames)/float64(s.cfg.Rate)*float64(time.Second)) + time.Microsecond
}

// fail ends the stream because its sink has failed.
func (s *clocked) fail(err error) {
	s.mu.Lock()
	s.stopClock(time.Now())
	s.err = err
	s.mu.Unlock()
	s.cfg.Notify()
}
