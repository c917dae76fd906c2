package audio

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A lost output is retried soon, then less and less often.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 2 * time.Second
	openWithin = 10 * time.Second
)

// ErrMoved is the error of a stream that ends because a better device has appeared: the deck opens
// that one at once and does not report a loss.
var ErrMoved = errors.New("a better sound output has appeared")

// OutputChange says whether the output was lost or works again.
type OutputChange struct {
	Lost error // the output is unavailable; reported once, the deck keeps trying
	Back bool  // the output is available again after a Lost
}

// Opened is the result of opening a stream, for Install.
type Opened struct {
	attempt uint64
	stream  Stream // nil if err is set
	err     error
}

// Opened receives when an output has opened a stream or failed to. The owner passes the value to
// Install.
func (d *Deck) Opened() <-chan Opened { return d.opened }

// Install makes an opened stream the one that plays, from the current position. It closes a stream
// that is no longer wanted, and plans another attempt after a failure.
func (d *Deck) Install(o Opened) OutputChange {
	if o.attempt != d.opening {
		if o.stream != nil {
			o.stream.Close()
		}
		return OutputChange{}
	}
	d.opening = 0
	if o.err != nil {
		return d.outputLost(fmt.Errorf("open the sound output: %w", o.err))
	}
	d.mu.Lock()
	d.stream = o.stream
	epoch := d.epoch
	d.mu.Unlock()
	o.stream.SetVolume(d.volume)
	o.stream.Cut(epoch)
	if d.playing {
		o.stream.Play()
	}
	change := OutputChange{Back: d.lost}
	d.backoff, d.lost = 0, false
	return change
}

// ensureStream starts to open a stream of the loaded cue's rate, unless one is open or being
// opened.
func (d *Deck) ensureStream() {
	d.mu.Lock()
	if len(d.segments) == 0 {
		d.mu.Unlock()
		return
	}
	rate := d.segments[0].cue.info.Rate
	fits := d.streamRate == rate && (d.stream != nil || d.opening != 0)
	d.mu.Unlock()
	if fits || !d.retryAt.IsZero() {
		return
	}
	d.closeStream()
	d.attempts++
	attempt := d.attempts
	d.opening = attempt
	d.mu.Lock()
	d.streamRate = rate
	d.mu.Unlock()
	cfg := StreamConfig{Device: d.device, Rate: rate, Volume: d.volume, Pull: d.pull, Notify: d.signal}
	d.work.Go(func() {
		ctx, cancel := context.WithTimeout(d.ctx, openWithin)
		defer cancel()
		stream, err := d.out.Open(ctx, cfg)
		if err != nil {
			stream = nil // it may be a nil pointer of the output's own type
		}
		select {
		case d.opened <- Opened{attempt: attempt, stream: stream, err: err}:
		case <-d.ctx.Done():
			if stream != nil {
				stream.Close()
			}
		}
	})
}

// recover keeps the position after a stream has failed, and plans to open another.
func (d *Deck) recover(cause error) OutputChange {
	d.rewindToHeard()
	d.closeStream()
	if errors.Is(cause, ErrMoved) {
		d.ensureStream()
		return OutputChange{}
	}
	return d.outputLost(cause)
}

// outputLost plans the next attempt to open a stream. Only the first call in a row reports the
// loss.
func (d *Deck) outputLost(cause error) (change OutputChange) {
	if !d.lost {
		d.lost, change.Lost = true, cause
	}
	d.backoff = min(max(2*d.backoff, firstRetry), lastRetry)
	d.retryAt = time.Now().Add(d.backoff)
	return change
}

// rewindToHeard makes the next stream begin where the listener is.
func (d *Deck) rewindToHeard() {
	_, at, _ := d.playhead()
	cue := d.unjoin()
	if cue == nil {
		return
	}
	d.count()
	cue.rewind(at)
	d.beginEpoch(cue, at)
}

func (d *Deck) closeStream() {
	d.wasRunning = false // a device that was lost or replaced is no underrun
	d.opening = 0
	d.mu.Lock()
	s := d.stream
	d.stream, d.streamRate = nil, 0
	d.mu.Unlock()
	if s != nil {
		s.Close()
	}
}

// pull feeds the stream. See StreamConfig.Pull.
func (d *Deck) pull(epoch uint64, dst []float32) (n int, last bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if epoch != d.epoch || len(d.segments) == 0 {
		return 0, false
	}
	for 2*n < len(dst) && !d.dry {
		seg := &d.segments[len(d.segments)-1]
		k, err := seg.cue.take(dst[2*n:])
		n += k
		d.pulled += int64(k)
		if k > 0 {
			continue
		}
		if err == nil {
			return n, false // starved: the cue wakes the stream
		}
		seg.end, seg.err = d.pulled, err
		d.signal()
		if d.next == nil || d.next.info.Rate != d.streamRate || Failure(err) != nil || len(d.segments) > 1 {
			d.dry = true
			break
		}
		d.segments = append(d.segments, segment{cue: d.next, start: d.pulled, end: -1})
		d.next = nil
	}
	return n, d.dry
}

// wake makes the stream pull again.
func (d *Deck) wake() {
	if s := d.currentStream(); s != nil {
		s.Wake()
	}
}

func (d *Deck) currentStream() Stream {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stream
}

// Position is where the listener is in cue, and whether it advances. ok is false when another cue
// is loaded. It may be called from any goroutine.
func (d *Deck) Position(cue *Cue) (at time.Duration, running, ok bool) {
	c, frame, running := d.playhead()
	if c == nil || c != cue {
		return 0, false, false
	}
	return frameTime(frame, c.info.Rate), running, true
}

// playhead returns the cue that is heard, its frame that is heard now, and whether it advances.
func (d *Deck) playhead() (cue *Cue, frame int64, running bool) {
	var clock Clock
	if s := d.currentStream(); s != nil {
		clock = s.Clock()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.segments) == 0 {
		return nil, 0, false
	}
	seg := d.segments[0]
	if clock.Epoch != d.epoch {
		return seg.cue, seg.from, false
	}
	heard := min(clock.Heard, d.pulled)
	if seg.end >= 0 {
		heard = min(heard, seg.end)
	}
	return seg.cue, seg.from + max(heard-seg.start, 0), clock.Running
}

// count adds the frames heard since the last count to the loaded cue.
func (d *Deck) count() {
	cue, frame, _ := d.playhead()
	d.mu.Lock()
	defer d.mu.Unlock()
	if cue == nil || len(d.segments) == 0 || d.segments[0].cue != cue || d.segments[0].reported() {
		return
	}
	seg := &d.segments[0]
	if done := frame - seg.from; done > seg.counted {
		cue.heardFrames += done - seg.counted
		seg.counted = done
	}
}
