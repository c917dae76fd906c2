package output

import (
	"sync"
	"time"

	"waxwing/internal/audio"
)

const (
	// cardBuffer is the size of a card's own buffer. A pause or a cut empties it, and the frames not
	// heard are written again; only a change of volume takes that long.
	cardBuffer = 100 * time.Millisecond
	// cardTick is how often the feeder runs during playback.
	cardTick = cardBuffer / 5
)

// device is a sound card that plays samples at its own pace. One goroutine uses it.
type device interface {
	// write takes as many frames as fit, starts playback if necessary, and does not block.
	write(frames []float32) (n int, err error)
	// delay is the number of frames that were written and not yet heard; 0 after an underrun.
	delay() (int, error)
	// drop silences the device and discards the frames not yet heard.
	drop() error
	close()
}

// card is a stream on a device. Its methods change the target state; the feeder, on a goroutine of
// its own, applies it to the device.
type card struct {
	rate int
	wake chan struct{} // one slot: the target has changed
	stop chan struct{} // closed by Close
	done chan struct{} // closed when the feeder has ended

	mu     sync.Mutex
	closed bool
	target cardTarget
	clock  cardClock
	err    error
}

type cardTarget struct {
	playing bool
	cuts    uint64 // number of cuts; the last began epoch
	epoch   uint64
	volume  float64
	woken   bool
}

// cardClock is the position of the listener at the last reading of the device.
type cardClock struct {
	cuts     uint64 // of the epoch that heard counts in
	heard    int64
	at       time.Time
	running  bool
	written  int64 // the upper limit of the clock
	reported int64 // the lower limit: what Clock returned last
}

func newCardStream(cfg audio.StreamConfig, dev device) *card {
	c := &card{rate: cfg.Rate, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	c.target = cardTarget{volume: cfg.Volume, woken: true}
	f := &feeder{card: c, cfg: cfg, dev: dev, level: cfg.Volume}
	go func() {
		defer close(c.done)
		defer dev.close()
		f.run()
	}()
	return c
}

func (c *card) change(apply func(*cardTarget)) {
	c.mu.Lock()
	apply(&c.target)
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *card) Play()  { c.change(func(w *cardTarget) { w.playing = true }) }
func (c *card) Pause() { c.change(func(w *cardTarget) { w.playing = false }) }
func (c *card) Wake()  { c.change(func(w *cardTarget) { w.woken = true }) }

func (c *card) Cut(epoch uint64) {
	c.change(func(w *cardTarget) {
		w.cuts++
		w.epoch, w.woken = epoch, true
	})
}

func (c *card) SetVolume(factor float64) { c.change(func(w *cardTarget) { w.volume = factor }) }

func (c *card) Clock() audio.Clock {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := &c.clock
	if k.cuts != c.target.cuts && c.err == nil {
		return audio.Clock{Epoch: c.target.epoch}
	}
	heard := k.heard
	if k.running {
		heard += int64(time.Since(k.at).Seconds() * float64(c.rate))
	}
	k.reported = max(k.reported, min(heard, k.written))
	return audio.Clock{Epoch: c.target.epoch, Heard: k.reported, Running: k.running && k.reported < k.written}
}

func (c *card) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close also waits for a Pull or Notify that is under way.
func (c *card) Close() {
	c.mu.Lock()
	first := !c.closed
	c.closed = true
	c.mu.Unlock()
	if first {
		close(c.stop)
	}
	<-c.done
}
