package audio

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Deck plays cues one after the other on an output, without a gap where their rates agree.
//
// One goroutine, the deck's owner, calls its methods; none of them waits. It
// calls Poll whenever Changed fires or the time Poll named has passed. Three
// others touch the deck under mu: the stream that pulls samples, decoders that
// report new ones, and readers of Position. No method of a Stream is called with mu held,
// because a stream may hold a lock of its own while it pulls.
type Deck struct {
	out     Output
	changed chan struct{} // one slot
	ctx     context.Context
	cancel  context.CancelFunc
	work    sync.WaitGroup // decoders and stream openers
	rings   rings

	// Owner only.
	device   string
	volume   float64
	playing  bool
	lost     bool          // the owner was told that the device is away
	backoff  time.Duration // before the next try to open
	retryAt  time.Time
	wasRun   bool // Running at the last Poll
	retired  []*Cue
	closeAt  time.Time // when to close those
	underrun atomic.Int64

	mu         sync.Mutex
	stream     Stream
	streamRate int
	opening    uint64  // number of the attempt whose stream is still wanted; 0 when none is under way
	attempts   uint64  // attempts so far
	opened     *opened // what an opener brought, for the owner to install
	epoch      uint64
	pulled     int64     // frames given to the stream in this epoch
	heard      []segment // [0] is what the listener hears, [1] what was joined to it
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
	counted int64 // frames already added to cue.heardFrames
}

type opened struct {
	attempt uint64
	rate    int
	stream  Stream
	err     error
}

// NewDeck makes a deck on out. device is one of its devices, or "" for the default. Close frees it.
func NewDeck(out Output, device string) *Deck {
	ctx, cancel := context.WithCancel(context.Background())
	return &Deck{out: out, device: device, changed: make(chan struct{}, 1), rings: make(rings, 1), ctx: ctx, cancel: cancel, volume: 1, epoch: 1}
}

// Changed receives when Poll has something to look at.
func (d *Deck) Changed() <-chan struct{} { return d.changed }

func (d *Deck) signal() {
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

// Cue starts decoding src, scaled by gain, ahead of time. It may be called from any goroutine.
// The deck owns the cue once it is given to Load or Follow; until then the caller closes it.
// cancel is called when the cue is closed and must make a waiting read of src fail.
func (d *Deck) Cue(src Source, gain float64, cancel func()) *Cue {
	src = Downmix(src)
	if fixed, ok := d.out.(FixedRate); ok && fixed.Rate() > 0 {
		src = Resample(src, fixed.Rate())
	}
	c := newCue(src, gain, cancel, d.rings)
	c.poke()
	d.work.Go(c.run)
	return c
}

// Load makes cue what is heard, from the given place on. What was loaded or followed before is closed a moment later.
func (d *Deck) Load(cue *Cue, from time.Duration) {
	d.mu.Lock()
	old := d.cues()
	d.next = nil
	d.mu.Unlock()
	for _, c := range old {
		if c != cue {
			c.retire()
			d.retired, d.closeAt = append(d.retired, c), time.Now().Add(calm)
		}
	}
	cue.onReady(d.wake)
	d.start(cue, timeFrame(from, cue.info.Rate))
}

// Seek moves within the loaded cue. It reports where it went: never past the end.
func (d *Deck) Seek(to time.Duration) time.Duration {
	cue := d.unjoin()
	if cue == nil {
		return 0
	}
	frame := timeFrame(to, cue.info.Rate)
	if n := cue.info.Frames; n >= 0 {
		frame = min(frame, n)
	}
	d.start(cue, frame)
	return frameTime(frame, cue.info.Rate)
}

// Follow names the cue that joins when the loaded one ends, in place of any named before; nil for none.
// A cue of another rate cannot join; it is kept and decoded ahead, and the
// owner loads it when the first has ended.
func (d *Deck) Follow(cue *Cue) {
	d.mu.Lock()
	joined := len(d.heard) > 1
	old := d.next
	if joined {
		old = d.heard[1].cue
	}
	d.mu.Unlock()
	if old == cue {
		return
	}
	if joined { // it is in the device's buffer already: take the tail of the current cue out and play it again
		_, at, _ := d.place()
		if cur := d.unjoin(); cur != nil {
			d.start(cur, at)
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
	d.heard, d.next, d.pulled, d.dry = nil, nil, 0, false
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

// Play lets sound out, Pause silences it at once; both keep the place.
func (d *Deck) Play() {
	d.playing = true
	d.backoff, d.retryAt = 0, time.Time{}
	d.ensureStream()
	if s := d.current(); s != nil {
		s.Play()
	}
	d.signal()
}

// Pause is the opposite of Play.
func (d *Deck) Pause() {
	d.playing = false
	if s := d.current(); s != nil {
		s.Pause()
	}
	d.signal()
}

// SetVolume scales the sound by a linear factor from 0 to 1.
func (d *Deck) SetVolume(factor float64) {
	d.volume = factor
	if s := d.current(); s != nil {
		s.SetVolume(factor)
	}
}

// SetDevice moves playback to another device of the output, keeping the place.
func (d *Deck) SetDevice(id string) {
	d.device = id
	d.reopen()
}

// Device is the device asked for; "" is the default.
func (d *Deck) Device() string { return d.device }

// Underruns counts how often the sound stopped because samples came too late.
func (d *Deck) Underruns() int64 { return d.underrun.Load() }

// Close silences the deck and waits until every decoder has ended. The deck is of no use afterwards.
func (d *Deck) Close() {
	d.cancel()
	d.Unload()
	d.closeStream()
	d.work.Wait()
	d.mu.Lock()
	late := d.opened
	d.opened = nil
	d.mu.Unlock()
	if late != nil && late.stream != nil {
		late.stream.Close()
	}
}

// cues lists every cue in the deck. The caller holds mu.
func (d *Deck) cues() []*Cue {
	var all []*Cue
	for _, s := range d.heard {
		all = append(all, s.cue)
	}
	if d.next != nil {
		all = append(all, d.next)
	}
	return all
}

// closeRetired closes what Load has left to be closed.
func (d *Deck) closeRetired() {
	for _, c := range d.retired {
		c.Close()
	}
	d.retired = nil
}

// unjoin takes back a cue that was joined but is not heard yet, and returns the one that is heard.
func (d *Deck) unjoin() *Cue {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.heard) == 0 {
		return nil
	}
	if len(d.heard) > 1 {
		d.next = d.heard[1].cue
		d.next.rewind(0)
		d.heard = d.heard[:1]
	}
	return d.heard[0].cue
}

// start begins a new epoch with cue at frame.
func (d *Deck) start(cue *Cue, frame int64) {
	d.count()
	d.wasRun = false // a jump stops the sound; it is no underrun
	if cue.place() != frame {
		cue.rewind(frame)
	}
	if d.streamRate != cue.info.Rate {
		d.closeStream() // before the new epoch, of which it must not pull
	}
	d.mu.Lock()
	d.epoch++
	d.pulled, d.dry = 0, false
	d.heard = []segment{{cue: cue, from: frame, end: -1}}
	epoch, stream := d.epoch, d.stream
	d.mu.Unlock()
	if stream != nil {
		stream.Cut(epoch)
	}
	d.ensureStream()
	d.signal()
}

// pull feeds the stream: the heart of the deck. See StreamConfig.Pull.
func (d *Deck) pull(epoch uint64, dst []float32) (n int, last bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if epoch != d.epoch || len(d.heard) == 0 {
		return 0, false
	}
	for 2*n < len(dst) && !d.dry {
		seg := &d.heard[len(d.heard)-1]
		k, err := seg.cue.take(dst[2*n:])
		n += k
		d.pulled += int64(k)
		if k > 0 {
			continue
		}
		if err == nil {
			return n, false // starved: ready wakes the stream
		}
		seg.end, seg.err = d.pulled, err
		d.signal()
		if d.next == nil || d.next.info.Rate != d.streamRate || Failure(err) != nil || len(d.heard) > 1 {
			d.dry = true
			break
		}
		d.heard = append(d.heard, segment{cue: d.next, start: d.pulled, end: -1})
		d.next = nil
	}
	return n, d.dry
}

// wake tells the stream that samples have come.
func (d *Deck) wake() {
	if s := d.current(); s != nil {
		s.Wake()
	}
}

func (d *Deck) current() Stream {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stream
}
