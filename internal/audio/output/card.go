package output

import (
	"sync"
	"time"

	"waxwing/internal/audio"
)

const (
	// A card's own buffer holds cardBuffer. A pause or a cut empties it, and what was not heard is
	// written again; only a change of volume takes that long to be heard.
	cardBuffer = 100 * time.Millisecond
	// cardTick is how often the card is looked after while it plays.
	cardTick = cardBuffer / 5
)

// device is a sound card that takes samples and plays them at its own pace. One goroutine uses it.
type device interface {
	// write takes as many frames as fit, starts playing if it does not, and never waits.
	write(frames []float32) (n int, err error)
	// delay is the number of frames that were written and are not yet heard: 0 when the device has run dry.
	delay() (int, error)
	// drop silences the device and forgets the frames that are not yet heard.
	drop() error
	close()
}

// card is the player's end of a stream on a device. Its methods note what is wished for;
// the feeder, on a goroutine of its own, brings the device there.
type card struct {
	rate int
	wake chan struct{} // one slot: there is a new target
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
	cuts    uint64 // how many there were; the last began epoch
	epoch   uint64
	volume  float64
	woken   bool
}

// cardClock is where the listener was when the device was last asked.
type cardClock struct {
	cuts     uint64 // of the epoch that heard counts in
	heard    int64
	at       time.Time
	running  bool
	written  int64 // the clock goes no further
	reported int64 // nor back
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
