// Package audiotest has a recording device and sources for tests of playback. They use only the
// time package, so that testing/synctest controls their clock.
package audiotest

import (
	"context"
	"errors"
	"sync"
	"time"

	"waxwing/internal/audio"
)

// Device is an audio.Output that records the frames it plays.
type Device struct {
	mu       sync.Mutex
	recorded []float32 // left channel of every played frame
	opens    int
	streams  int   // open now
	lost     error // while set, Open fails
	stream   *stream
}

// The device's buffer and the step in which it plays.
const (
	step   = 20 * time.Millisecond
	buffer = 200 * time.Millisecond
)

// Recorded returns the left channel of all frames played so far.
func (d *Device) Recorded() []float32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]float32(nil), d.recorded...)
}

// Opens returns how many streams were opened.
func (d *Device) Opens() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.opens
}

// Streams returns the number of open streams.
func (d *Device) Streams() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.streams
}

// Lose kills the open stream and makes every Open fail until Return.
func (d *Device) Lose() {
	d.mu.Lock()
	d.lost = errors.New("the device was removed")
	s := d.stream
	d.mu.Unlock()
	if s != nil {
		s.fail(d.lost)
	}
}

// Return makes the device work again.
func (d *Device) Return() {
	d.mu.Lock()
	d.lost = nil
	d.mu.Unlock()
}

// Stall stops the open stream, as a hung device does, or lets it continue.
func (d *Device) Stall(on bool) {
	d.mu.Lock()
	s := d.stream
	d.mu.Unlock()
	s.set(func() { s.stalled = on })
}

// Open implements audio.Output.
func (d *Device) Open(_ context.Context, cfg audio.StreamConfig) (audio.Stream, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost != nil {
		return nil, d.lost
	}
	d.opens++
	d.streams++
	s := &stream{device: d, cfg: cfg, wake: make(chan struct{}, 1), closed: make(chan struct{}), done: make(chan struct{})}
	d.stream = s
	go s.run()
	return s, nil
}

// Devices implements audio.Output.
func (d *Device) Devices(context.Context) ([]audio.Device, error) {
	return []audio.Device{{ID: "test", Name: "Test device"}, {ID: "other", Name: "Another"}}, nil
}

type stream struct {
	device *Device
	cfg    audio.StreamConfig
	wake   chan struct{}
	closed chan struct{}
	done   chan struct{}

	mu      sync.Mutex
	epoch   uint64
	playing bool
	queued  []float32 // pulled and not played
	last    bool
	heard   int64
	running bool
	stalled bool
	volume  float32
	err     error
}

func (s *stream) set(f func()) {
	s.mu.Lock()
	f()
	s.mu.Unlock()
	s.Wake()
}

func (s *stream) Play()               { s.set(func() { s.playing = true }) }
func (s *stream) Pause()              { s.set(func() { s.playing, s.running = false, false }) }
func (s *stream) SetVolume(v float64) { s.set(func() { s.volume = float32(v) }) }
func (s *stream) Cut(epoch uint64) {
	s.set(func() { s.epoch, s.queued, s.last, s.heard, s.running = epoch, nil, false, 0, false })
}

func (s *stream) Wake() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *stream) Clock() audio.Clock {
	s.mu.Lock()
	defer s.mu.Unlock()
	return audio.Clock{Epoch: s.epoch, Heard: s.heard, Running: s.running}
}

func (s *stream) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *stream) fail(err error) {
	s.set(func() { s.err, s.running = err, false })
	s.cfg.Notify()
}

func (s *stream) Close() {
	close(s.closed)
	<-s.done
	s.device.mu.Lock()
	s.device.streams--
	s.device.mu.Unlock()
}

// run plays in steps while frames are queued.
func (s *stream) run() {
	defer close(s.done)
	timer := time.NewTimer(step)
	timer.Stop()
	defer timer.Stop()
	ticking := false
	for {
		select {
		case <-s.closed:
			return
		case <-s.wake:
		case <-timer.C:
			ticking = false
			s.playFrames(int(step.Seconds() * float64(s.cfg.Rate)))
		}
		s.refill()
		if s.tick() && !ticking {
			timer.Reset(step)
			ticking = true
		}
	}
}

// refill pulls until the buffer is full.
func (s *stream) refill() {
	for {
		s.mu.Lock()
		want := int(buffer.Seconds()*float64(s.cfg.Rate)) - len(s.queued)/2
		epoch, stop := s.epoch, s.err != nil || s.last
		s.mu.Unlock()
		if want <= 0 || stop {
			return
		}
		dst := make([]float32, 2*want)
		n, last := s.cfg.Pull(epoch, dst)
		s.mu.Lock()
		if epoch == s.epoch {
			s.queued = append(s.queued, dst[:2*n]...)
			s.last = last
		}
		s.mu.Unlock()
		if n == 0 {
			return
		}
	}
}

// tick reports whether frames are being played, and notifies when that changes.
func (s *stream) tick() bool {
	s.mu.Lock()
	run := s.playing && !s.stalled && s.err == nil && len(s.queued) > 0
	changed := run != s.running
	s.running = run
	s.mu.Unlock()
	if changed {
		s.cfg.Notify()
	}
	return run
}

// playFrames plays n frames.
func (s *stream) playFrames(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.playing || s.stalled || s.err != nil {
		return
	}
	n = min(n, len(s.queued)/2)
	s.device.mu.Lock()
	for i := range n {
		s.device.recorded = append(s.device.recorded, s.queued[2*i]*s.volume)
	}
	s.device.mu.Unlock()
	s.queued = s.queued[2*n:]
	s.heard += int64(n)
}
