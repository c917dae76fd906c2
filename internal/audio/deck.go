package audio

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Deck plays cues one after the other on an output, without a gap where their rates agree.
//
// One goroutine, the owner, calls the methods; none of them blocks. The owner calls Poll whenever
// Changed fires or the time that Poll returned has passed, and Install with each value from Opened.
// Three other goroutines use the deck under mu: the stream that pulls samples, decoders that have
// new ones, and readers of Position. No method of a Stream is called with mu held, because a stream
// may hold a lock of its own while it pulls.
type Deck struct {
	out     Output
	changed chan struct{} // one slot
	opened  chan Opened
	ctx     context.Context
	cancel  context.CancelFunc
	work    sync.WaitGroup // decoders and stream openers
	rings   rings

	// Owner only.
	device     string
	volume     float64
	playing    bool
	lost       bool          // a lost output was reported
	backoff    time.Duration // before the next attempt to open
	retryAt    time.Time
	attempts   uint64 // attempts to open a stream so far
	opening    uint64 // number of the attempt whose stream is still wanted; 0: none is under way
	wasRunning bool   // Running at the last Poll
	retired    []*Cue
	closeAt    time.Time // when to close those
	underruns  atomic.Int64

	mu         sync.Mutex
	stream     Stream
	streamRate int
	epoch      uint64
	pulled     int64     // frames given to the stream in this epoch
	segments   []segment // [0] is what the listener hears, [1] what was joined to it
	next       *Cue      // joins when the last segment ends
	dry        bool      // the last segment has ended with nothing to join
}

// segment is a stretch of one cue within an epoch.
type segment struct {
	cue     *Cue
	start   int64 // frame of the epoch at which it begins
	from    int64 // frame of the track that is heard there
	end     int64 // frame of the epoch after its last; -1 while it is still pulled
	err     error // how it ended
	counted int64 // frames already added to cue.heardFrames; -1 once its end was reported
}

// NewDeck returns a deck on out. device is one of its devices, or "" for the default. Close frees
// it.
func NewDeck(out Output, device string) *Deck {
	ctx, cancel := context.WithCancel(context.Background())
	return &Deck{
		out: out, device: device, changed: make(chan struct{}, 1), opened: make(chan Opened), rings: make(rings, 1),
		ctx: ctx, cancel: cancel, volume: 1, epoch: 1,
	}
}

// Changed receives when the owner should call Poll.
func (d *Deck) Changed() <-chan struct{} { return d.changed }

func (d *Deck) signal() {
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

// Cue starts decoding src, scaled by gain, ahead of time. It may be called from any goroutine.
// The deck owns the cue once it is given to Load or Follow; until then the caller closes it.
// cancel is called when the cue is closed and must make a blocked read of src fail.
func (d *Deck) Cue(src Source, gain float64, cancel func()) *Cue {
	src = Downmix(src)
	if fixed, ok := d.out.(FixedRate); ok && fixed.Rate() > 0 {
		src = Resample(src, fixed.Rate())
	}
	c := newCue(src, gain, cancel, d.rings)
	c.wakeDecoder()
	d.work.Go(c.run)
	return c
}

// Load plays cue from the given position, in place of everything loaded or followed before.
// Those cues stop decoding at once and are closed by a later Poll.
func (d *Deck) Load(cue *Cue, from time.Duration) {
	d.mu.Lock()
	old := d.cues()
	d.next = nil
	d.mu.Unlock()
	for _, c := range old {
		if c != cue {
			c.retire()
			d.retired, d.closeAt = append(d.retired, c), time.Now().Add(backgroundDelay)
		}
	}
	cue.onReady(d.wake)
	d.start(cue, timeFrame(from, cue.info.Rate))
}

// Seek moves within the loaded cue, at most to its end.
func (d *Deck) Seek(to time.Duration) {
	cue := d.unjoin()
	if cue == nil {
		return
	}
	frame := timeFrame(to, cue.info.Rate)
	if n := cue.info.Frames; n >= 0 {
		frame = min(frame, n)
	}
	d.start(cue, frame)
}

// Follow sets the cue that joins when the loaded one ends, in place of any set before; nil for
// none. A cue of another rate cannot join: it is decoded ahead, and the owner loads it when the
// first has ended.
func (d *Deck) Follow(cue *Cue) {
	d.mu.Lock()
	joined := len(d.segments) > 1
	old := d.next
	if joined {
		old = d.segments[1].cue
	}
	d.mu.Unlock()
	if old == cue {
		return
	}
	if joined { // it is in the device's buffer already: cut, and play the rest of the current cue again
		_, at, _ := d.playhead()
		if current := d.unjoin(); current != nil {
			d.start(current, at)
		}
	}
	if cue != nil {
		cue.onReady(d.wake)
	}
	d.mu.Lock()
	old, d.next = d.next, cue
	d.mu.Unlock()
	if old != nil {
		old.Close()
	}
}

// Unload empties the deck.
func (d *Deck) Unload() {
	d.mu.Lock()
	old := d.cues()
	d.segments, d.next, d.pulled, d.dry = nil, nil, 0, false
	d.epoch++
	epoch, stream := d.epoch, d.stream
	d.mu.Unlock()
	for _, c := range old {
		c.Close()
	}
	d.closeRetired()
	if stream != nil {
		stream.Cut(epoch)
	}
}

// Play starts or resumes playback. An output that is unavailable is tried again at once.
func (d *Deck) Play() {
	d.playing = true
	d.backoff, d.retryAt = 0, time.Time{}
	d.ensureStream()
	if s := d.currentStream(); s != nil {
		s.Play()
	}
	d.signal()
}

// Pause silences the output at once and keeps the position.
func (d *Deck) Pause() {
	d.playing = false
	if s := d.currentStream(); s != nil {
		s.Pause()
	}
	d.signal()
}

// Release closes the output until there is something to play again.
func (d *Deck) Release() { d.closeStream() }

// SetVolume scales the output by a linear factor from 0 to 1.
func (d *Deck) SetVolume(factor float64) {
	d.volume = factor
	if s := d.currentStream(); s != nil {
		s.SetVolume(factor)
	}
}

// SetDevice moves playback to another device of the output and keeps the position.
func (d *Deck) SetDevice(id string) {
	d.device = id
	d.rewindToHeard()
	d.closeStream()
	d.backoff, d.retryAt = 0, time.Time{}
	d.ensureStream()
}

// Device is the requested device; "" is the default.
func (d *Deck) Device() string { return d.device }

// Underruns counts how often playback stopped because samples came too late.
func (d *Deck) Underruns() int64 { return d.underruns.Load() }

// Close stops playback and waits until every decoder and opener has ended. The deck cannot be used
// afterwards.
func (d *Deck) Close() {
	d.cancel()
	d.Unload()
	d.closeStream()
	d.work.Wait()
}

// Report is the result of a Poll.
type Report struct {
	OutputChange
	Joined  *Cue          // the followed cue is now the one heard; the one before is closed
	Ended   *Cue          // the loaded cue was heard to its end, and nothing had joined
	Failure error         // with Ended: the cue is damaged at this position
	Running bool          // samples are being played
	Again   time.Duration // poll again after this time; 0: when Changed fires
}

// Poll updates the deck from its stream and the clock: it reports joins and ends, counts underruns,
// recovers from a lost stream and does the work that is due.
func (d *Deck) Poll() Report {
	var r Report
	if s := d.currentStream(); s != nil && s.Err() != nil {
		r.OutputChange = d.recover(s.Err())
	}
	d.count()
	cue, at, running := d.playhead()
	d.mu.Lock()
	if cue != nil && d.segments[0].end >= 0 {
		seg := d.segments[0]
		left := seg.end - seg.start - (at - seg.from)
		switch {
		case left > 0 && running:
			r.Again = max(frameTime(left, d.streamRate), time.Millisecond)
		case left > 0 || !d.playing:
		case len(d.segments) > 1:
			r.Joined = d.segments[1].cue
			d.segments = d.segments[1:]
			cue.Close()
		case !seg.reported():
			r.Ended, r.Failure = cue, Failure(seg.err)
			d.segments[0].counted = -1
		}
	}
	dry := d.dry
	d.mu.Unlock()
	if d.wasRunning && !running && d.playing && cue != nil && !dry {
		d.underruns.Add(1)
	}
	d.wasRunning, r.Running = running, running
	if !d.retryAt.IsZero() && d.playing {
		if wait := time.Until(d.retryAt); wait > 0 {
			r.Again = min(cmp.Or(r.Again, wait), wait)
		} else {
			d.retryAt = time.Time{}
			d.ensureStream()
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

// reported reports whether Poll has reported the segment's end.
func (s *segment) reported() bool { return s.counted < 0 }

// cues lists every cue in the deck. The caller holds mu.
func (d *Deck) cues() []*Cue {
	var all []*Cue
	for _, s := range d.segments {
		all = append(all, s.cue)
	}
	if d.next != nil {
		all = append(all, d.next)
	}
	return all
}

// closeRetired closes the cues that Load has replaced.
func (d *Deck) closeRetired() {
	for _, c := range d.retired {
		c.Close()
	}
	d.retired = nil
}

// unjoin makes a cue that was joined but is not heard yet the next one again, and returns the cue
// that is heard.
func (d *Deck) unjoin() *Cue {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.segments) == 0 {
		return nil
	}
	if len(d.segments) > 1 {
		d.next = d.segments[1].cue
		d.next.rewind(0)
		d.segments = d.segments[:1]
	}
	return d.segments[0].cue
}

// start begins a new epoch with cue at frame.
func (d *Deck) start(cue *Cue, frame int64) {
	d.count()
	d.wasRunning = false // a jump interrupts playback and is no underrun
	if cue.position() != frame {
		cue.rewind(frame)
	}
	if d.streamRate != cue.info.Rate {
		d.closeStream() // before the new epoch, of which it must not pull
	}
	epoch, stream := d.beginEpoch(cue, frame)
	if stream != nil {
		stream.Cut(epoch)
	}
	d.ensureStream()
	d.signal()
}

// beginEpoch makes cue at frame all that the stream pulls from now on.
func (d *Deck) beginEpoch(cue *Cue, frame int64) (uint64, Stream) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.epoch++
	d.pulled, d.dry = 0, false
	d.segments = []segment{{cue: cue, from: frame, end: -1}}
	return d.epoch, d.stream
}
