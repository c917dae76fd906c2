package output

import (
	"math"
	"time"

	"waxwing/internal/audio"
)

// feeder pulls frames for a device. It keeps each frame until it was heard, so that frames dropped
// by a pause can be written again. Only its own goroutine uses it.
type feeder struct {
	card   *card
	cfg    audio.StreamConfig
	dev    device
	target cardTarget // as applied
	level  float64    // volume of the last frame written

	buf     []float32 // frames from heard on
	scaled  []float32 // frames to be written, at the target volume
	heard   int64
	written int64 // frames given to the device
	last    bool  // nothing follows in this epoch
	running bool  // the device is playing
}

func (f *feeder) run() {
	timer := time.NewTimer(math.MaxInt64)
	defer timer.Stop()
	chunk := make([]float32, 2*int(cardBuffer.Seconds()*float64(f.cfg.Rate)))
	for {
		if err := f.step(chunk); err != nil {
			f.publish(err)
			f.cfg.Notify()
			return
		}
		wait := time.Duration(math.MaxInt64)
		if f.running {
			wait = cardTick
		}
		timer.Reset(wait)
		select {
		case <-f.card.stop:
			_ = f.dev.drop()
			return
		case <-f.card.wake:
		case <-timer.C:
		}
	}
}

// step reads what was heard, applies the target state, and feeds the device.
func (f *feeder) step(chunk []float32) error {
	moved := f.running
	if err := f.readDelay(); err != nil {
		return err
	}
	f.card.mu.Lock()
	w := f.card.target
	f.card.target.woken = false
	f.card.mu.Unlock()
	cut := w.cuts != f.target.cuts
	w.woken = w.woken || f.target.woken && !cut
	f.target = w
	if f.running && (cut || !w.playing) {
		if err := f.drop(); err != nil {
			return err
		}
	}
	if cut {
		f.buf, f.heard, f.written, f.last = f.buf[:0], 0, 0, false
	}
	if free := len(chunk) - len(f.buf); free > 0 && f.target.woken && !f.last {
		n, last := f.cfg.Pull(w.epoch, chunk[:free])
		f.last = last
		f.target.woken = 2*n == free
		f.buf = append(f.buf, chunk[:2*n]...)
	}
	if w.playing {
		if err := f.write(f.buf[2*(f.written-f.heard):]); err != nil {
			return err
		}
	}
	f.publish(nil)
	if moved != f.running && w.playing {
		f.cfg.Notify()
	}
	return nil
}

// readDelay updates how many frames were heard.
func (f *feeder) readDelay() error {
	if !f.running {
		return nil
	}
	delay, err := f.dev.delay()
	if err != nil {
		return err
	}
	heard := max(f.heard, f.written-int64(delay))
	f.buf = append(f.buf[:0], f.buf[2*(heard-f.heard):]...)
	f.heard = heard
	if heard == f.written && len(f.buf) == 0 && (f.last || !f.target.woken) {
		return f.drop() // underrun, or the end
	}
	return nil
}

// drop silences the device; the frames that it had not played are written again.
func (f *feeder) drop() error {
	f.running, f.written = false, f.heard
	return f.dev.drop()
}

// write gives frames to the device at the target volume. The level is then that of the last frame
// taken.
func (f *feeder) write(frames []float32) error {
	f.scaled, _ = scale(f.scaled[:0], frames, f.level, f.target.volume, f.cfg.Rate)
	n, err := f.dev.write(f.scaled)
	f.written += int64(n)
	f.running = f.running || n > 0
	f.level = ramp(f.level, f.target.volume, n, f.cfg.Rate)
	return err
}

// publish updates the card's clock.
func (f *feeder) publish(err error) {
	c := f.card
	c.mu.Lock()
	defer c.mu.Unlock()
	k := &c.clock
	if k.cuts != f.target.cuts {
		k.reported = 0
	}
	k.cuts, k.heard, k.at, k.written = f.target.cuts, f.heard, time.Now(), f.written
	k.running = f.running && err == nil
	c.err = err
}
