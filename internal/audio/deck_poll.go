package audio

import (
	"cmp"
	"time"
)

// Report is what a Poll found.
type Report struct {
	Joined  *Cue          // the followed cue is now the one heard; the one before is closed
	Ended   *Cue          // the loaded cue was heard to its end, and nothing had joined
	Failure error         // with Ended: the cue is damaged at this place
	Lost    error         // the device has gone; set once, the deck goes on trying
	Back    bool          // the device is there again after a Lost
	Running bool          // sound is coming out
	Again   time.Duration // poll again after this time, 0: when Changed fires
}

// Poll brings the deck up to date with its stream and the clock.
func (d *Deck) Poll() Report {
	var r Report
	d.install(&r)
	if s := d.current(); s != nil && s.Err() != nil {
		d.recover(s.Err(), &r)
	}
	d.count()
	cue, at, running := d.place()
	d.mu.Lock()
	if cue != nil && d.heard[0].end >= 0 {
		seg := d.heard[0]
		left := seg.end - seg.start - (at - seg.from)
		switch {
		case left > 0 && running:
			r.Again = max(frameTime(left, d.streamRate), time.Millisecond)
		case left > 0 || !d.playing:
		case len(d.heard) > 1:
			r.Joined = d.heard[1].cue
			d.heard = d.heard[1:]
			cue.Close()
		case !seg.reported():
			r.Ended, r.Failure = cue, Failure(seg.err)
			d.heard[0].counted = -1
		}
	}
	dry := d.dry
	d.mu.Unlock()
	if d.wasRun && !running && d.playing && cue != nil && !dry {
		d.underrun.Add(1)
	}
	d.wasRun, r.Running = running, running
	if !d.retryAt.IsZero() && d.playing {
		wait := max(time.Until(d.retryAt), 0)
		if wait == 0 {
			d.retryAt = time.Time{}
			d.ensureStream()
		} else if r.Again == 0 || wait < r.Again {
			r.Again = wait
		}
	}
	if len(d.retired) > 0 {
		if wait := time.Until(d.closeAt); wait > 0 {
			r.Again = min(cmp.Or(r.Again, wait), wait)
		} else {
			d.closeRetired()
		}
	}
	return r
}

// reported tells whether the owner has been told of the segment's end.
func (s *segment) reported() bool { return s.counted < 0 }

// Position is where the listener is in cue, and whether it is moving. ok is
// false when another cue is loaded. It may be called from any goroutine.
func (d *Deck) Position(cue *Cue) (at time.Duration, running, ok bool) {
	c, frame, running := d.place()
	if c == nil || c != cue {
		return 0, false, false
	}
	return frameTime(frame, c.info.Rate), running, true
}

// place is the cue that is heard, the frame of it that is heard at this moment, and whether it moves.
func (d *Deck) place() (cue *Cue, frame int64, running bool) {
	d.mu.Lock()
	stream := d.stream
	d.mu.Unlock()
	var clock Clock
	if stream != nil {
		clock = stream.Clock()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.heard) == 0 {
		return nil, 0, false
	}
	seg := d.heard[0]
	if clock.Epoch != d.epoch {
		return seg.cue, seg.from, false
	}
	heard := min(clock.Heard, d.pulled)
	if seg.end >= 0 {
		heard = min(heard, seg.end)
	}
	return seg.cue, seg.from + max(heard-seg.start, 0), clock.Running
}

// count adds what was heard since the last count to the loaded cue.
func (d *Deck) count() {
	cue, frame, _ := d.place()
	d.mu.Lock()
	defer d.mu.Unlock()
	if cue == nil || len(d.heard) == 0 || d.heard[0].cue != cue || d.heard[0].reported() {
		return
	}
	seg := &d.heard[0]
	if done := frame - seg.from; done > seg.counted {
		cue.heardFrames += done - seg.counted
		seg.counted = done
	}
}

// Heard is how much of the cue the listener has really heard, seeks left out. Only the deck's owner calls it.
func (c *Cue) Heard() time.Duration { return frameTime(c.heardFrames, c.info.Rate) }
