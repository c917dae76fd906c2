package audio

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A device that has gone is looked for soon, then ever less often.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 2 * time.Second
	openWithin = 10 * time.Second
)

// ensureStream sees to it that a stream of the loaded cue's rate is open or being opened.
func (d *Deck) ensureStream() {
	d.mu.Lock()
	if len(d.heard) == 0 {
		d.mu.Unlock()
		return
	}
	rate := d.heard[0].cue.info.Rate
	fits := d.streamRate == rate && (d.stream != nil || d.opening != 0)
	d.mu.Unlock()
	if fits || !d.retryAt.IsZero() {
		return
	}
	d.closeStream()
	d.mu.Lock()
	d.attempts++
	attempt := d.attempts
	d.opening, d.streamRate = attempt, rate
	d.mu.Unlock()
	cfg := StreamConfig{Device: d.device, Rate: rate, Volume: d.volume, Pull: d.pull, Notify: d.signal}
	d.work.Go(func() {
		ctx, cancel := context.WithTimeout(d.ctx, openWithin)
		defer cancel()
		s, err := d.out.Open(ctx, cfg)
		d.mu.Lock()
		stale := d.opening != attempt
		if !stale {
			d.opened = &opened{attempt: attempt, rate: rate, stream: s, err: err}
		}
		d.mu.Unlock()
		if stale && err == nil {
			s.Close()
		}
		d.signal()
	})
}

// install takes over the stream that an opener brought.
func (d *Deck) install(r *Report) {
	d.mu.Lock()
	o := d.opened
	d.opened = nil
	if o == nil {
		d.mu.Unlock()
		return
	}
	current := o.attempt == d.opening
	if current {
		d.opening = 0
		d.stream = o.stream
	}
	epoch := d.epoch
	d.mu.Unlock()
	switch {
	case !current:
		if o.stream != nil {
			o.stream.Close()
		}
	case o.err != nil:
		d.mu.Lock()
		d.stream = nil // a failed opener's stream is a nil of its own type
		d.mu.Unlock()
		d.away(fmt.Errorf("open the sound output: %w", o.err), r)
	default:
		o.stream.SetVolume(d.volume)
		o.stream.Cut(epoch)
		if d.playing {
			o.stream.Play()
		}
		d.backoff = 0
		if d.lost {
			d.lost, r.Back = false, true
		}
	}
}

// ErrMoved is what a stream ends with when a better device has appeared: the
// deck moves there at once and does not call it a loss.
var ErrMoved = errors.New("a better sound output has appeared")

// recover keeps the place when a stream has died, and sets out to open another.
func (d *Deck) recover(cause error, r *Report) {
	d.rewindToHeard()
	d.closeStream()
	if errors.Is(cause, ErrMoved) {
		d.ensureStream()
		return
	}
	d.away(cause, r)
}

// away notes that there is no device, tells the owner once, and plans the next try.
func (d *Deck) away(cause error, r *Report) {
	if !d.lost {
		d.lost, r.Lost = true, cause
	}
	d.backoff = min(max(2*d.backoff, firstRetry), lastRetry)
	d.retryAt = time.Now().Add(d.backoff)
}

// reopen moves to a new stream without losing the place.
func (d *Deck) reopen() {
	d.rewindToHeard()
	d.closeStream()
	d.backoff, d.retryAt = 0, time.Time{}
	d.ensureStream()
}

// rewindToHeard makes the next stream begin where the listener is.
func (d *Deck) rewindToHeard() {
	_, at, _ := d.place()
	cue := d.unjoin()
	if cue == nil {
		return
	}
	d.count()
	cue.rewind(at)
	d.mu.Lock()
	d.epoch++
	d.pulled, d.dry = 0, false
	d.heard = []segment{{cue: cue, from: at, end: -1}}
	d.mu.Unlock()
}

func (d *Deck) closeStream() {
	d.wasRun = false // nor is a device that is gone an underrun
	d.mu.Lock()
	s := d.stream
	d.stream, d.streamRate, d.opening = nil, 0, 0
	d.mu.Unlock()
	if s != nil {
		s.Close()
	}
}
