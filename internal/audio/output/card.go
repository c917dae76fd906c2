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
	kick chan struct{} // one slot: there is a new wish
	stop chan struct{} // closed by Close
	done chan struct{} // closed when the feeder has ended

	mu     sync.Mutex
	closed bool
	wish   cardWish
	clock  cardClock
	err    error
}

type cardWish struct {
	playing bool
	cuts    uint64 // how many there were; the last began epoch
	epoch   uint64
	volume  float64
	woken   bool
}

// cardClock is where the listener was when the device was last asked.
type cardClock struct {
	cuts    uint64 // of the epoch that heard counts in
	heard   int64
	at      time.Time
	moving  bool
	written int64 // the clock goes no further
	told    int64 // nor back
}

func newCardStream(cfg audio.StreamConfig, dev device) *card {
	c := &card{rate: cfg.Rate, kick: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	c.wish = cardWish{volume: cfg.Volume, woken: true}
	f := &feeder{card: c, cfg: cfg, dev: dev, level: cfg.Volume}
	go func() {
		defer close(c.done)
		defer dev.close()
		f.run()
	}()
	return c
}

func (c *card) want(change func(*cardWish)) {
	c.mu.Lock()
	change(&c.wish)
	c.mu.Unlock()
	select {
	case c.kick <- struct{}{}:
	default:
	}
}

func (c *card) Play()  { c.want(func(w *cardWish) { w.playing = true }) }
func (c *card) Pause() { c.want(func(w *cardWish) { w.playing = false }) }
func (c *card) Wake()  { c.want(func(w *cardWish) { w.woken = true }) }

func (c *card) Cut(epoch uint64) {
	c.want(func(w *cardWish) {
		w.cuts++
		w.epoch, w.woken = epoch, true
	})
}

func (c *card) SetVolume(factor float64) { c.want(func(w *cardWish) { w.volume = factor }) }

func (c *card) Clock() audio.Clock {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := &c.clock
	if k.cuts != c.wish.cuts && c.err == nil {
		return audio.Clock{Epoch: c.wish.epoch}
	}
	heard := k.heard
	if k.moving {
		heard += int64(time.Since(k.at).Seconds() * float64(c.rate))
	}
	k.told = max(k.told, min(heard, k.written))
	return audio.Clock{Epoch: c.wish.epoch, Heard: k.told, Running: k.moving && k.told < k.written}
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
