package pulse

import (
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	// Between the server's own messages its time is polled this often, during playback and before it
	// starts.
	pollMoving   = 300 * time.Millisecond
	pollStarting = 20 * time.Millisecond
	// endMargin is how much later than computed the end is reported: more than the error of the
	// computation.
	endMargin = 30 * time.Millisecond
)

// timing is the core's state of pending commands and of the clock.
type timing struct {
	pending  []request // in the order sent, which is the order of replies
	base     int64     // byte of the server's count at which the epoch begins,
	hasBase  bool      // if it is known
	nextPoll time.Time // when to poll the time; zero: not needed
	starved  bool      // the server has reported an underrun
	watch    watch
	idle     bool // everything sent was heard, or more is missing: nothing changes by itself
}

// request is a command without a reply yet.
type request struct {
	tag    uint32
	sent   time.Time
	isTime bool

	// The state of the stream when it was sent.
	corked  bool
	flushed uint64
	bytes   int64
}

// await expects a reply without content.
func (k *core) await(tag uint32) {
	k.pending = append(k.pending, request{tag: tag, sent: time.Now()})
}

// requestTiming requests the position of the device.
func (k *core) requestTiming() {
	now := time.Now()
	tag := k.conn.command(opGetPlaybackLatency, args{}.u32(k.channel).moment(now))
	k.pending = append(k.pending, request{tag: tag, sent: now, isTime: true, corked: k.corked, flushed: k.flushed,
		bytes: k.bytes})
	k.nextPoll = time.Time{}
	k.watch.begin(now)
	k.plan(now)
}

// beginEpoch sets the clock to 0. It stands still until the server has reported the byte of its
// count that this is.
func (k *core) beginEpoch() {
	k.hasBase = false
	k.starved, k.idle = false, false
	s := k.stream
	s.mu.Lock()
	s.clock = clock{cuts: k.target.cuts, epoch: k.target.epoch, rate: k.cfg.Rate, at: time.Now()}
	s.mu.Unlock()
}

// pulled lets the clock advance up to the given frame.
func (k *core) pulled(frames int64) {
	s := k.stream
	s.mu.Lock()
	s.clock.pulled = frames
	s.mu.Unlock()
	k.idle = false
	k.plan(time.Now())
}

func (k *core) moving() bool {
	k.stream.mu.Lock()
	defer k.stream.mu.Unlock()
	return k.stream.clock.moving
}

// plan decides when to poll the server's time: never while nothing is or will be playing.
func (k *core) plan(now time.Time) {
	switch {
	case k.corked || k.watch.stalled:
		k.nextPoll = time.Time{}
	case k.moving():
		k.nextPoll = now.Add(pollMoving)
	case k.sent > 0 && !k.idle:
		k.nextPoll = now.Add(pollStarting)
	}
}

// handleReply processes the reply to a command.
func (k *core) handleReply(m message) error {
	i := slices.IndexFunc(k.pending, func(r request) bool { return r.tag == m.tag })
	if i < 0 {
		return nil
	}
	request := k.pending[i]
	k.pending = slices.Delete(k.pending, 0, i+1)
	if m.op == opError {
		return fmt.Errorf("control the stream: %w", ServerError(m.body.u32()))
	}
	if !request.isTime {
		return nil
	}
	t := k.readTiming(&m.body)
	if m.body.err != nil {
		return m.body.err
	}
	if request.flushed != k.target.cuts {
		return nil // of a previous epoch
	}
	if !k.hasBase {
		k.base, k.hasBase = t.write-request.bytes, true
	}
	if request.corked == k.corked {
		k.set(t, request.sent.Add(m.at.Sub(request.sent)/2))
	}
	return nil
}

// report is the server's timing information.
type report struct {
	playing     bool
	write, read int64 // bytes written to it and read by the device since the stream began
	device      int64 // bytes that the device has read and not yet played,
	silence     int64 // of which the last are silence due to an underrun
}

func (k *core) readTiming(r *body) report {
	device := int64(r.duration().Seconds()*float64(k.cfg.Rate)) * frameSize
	r.duration()
	playing := r.flag()
	r.skipMoment()
	r.skipMoment()
	write, read := r.s64(), r.s64()
	silence := r.u64()
	r.u64()
	// Before the first sample the server counts endless silence.
	return report{playing: playing, write: write, read: read, device: device, silence: int64(min(silence, math.MaxInt64))}
}

// set sets the clock from a report that was true at the given time.
func (k *core) set(t report, at time.Time) {
	inDevice := t.device
	if !t.playing {
		inDevice -= min(t.silence, t.device)
	}
	if k.corked {
		inDevice = 0 // the server took it back
	}
	s := k.stream
	s.mu.Lock()
	c := &s.clock
	was := c.moving
	c.heard = float64(t.read-k.base-inDevice) / frameSize
	c.at = at
	if k.starved && !t.playing && inDevice == 0 && (k.dry || k.last) {
		k.idle = true
	}
	c.moving = !k.corked && !k.idle && (t.playing || inDevice > 0) && c.left(at) > -endMargin
	now := c.moving
	s.mu.Unlock()
	k.plan(time.Now())
	if was != now {
		k.cfg.Notify()
	}
}

// nextWait is the time until tick has work.
func (k *core) nextWait() time.Duration {
	now := time.Now()
	wait := time.Duration(math.MaxInt64)
	until := func(t time.Time) { wait = min(wait, max(t.Sub(now), 0)) }
	if !k.nextPoll.IsZero() {
		until(k.nextPoll)
	}
	if len(k.pending) > 0 {
		until(k.pending[0].sent.Add(replyTimeout))
	}
	if !k.watch.next.IsZero() {
		until(k.watch.next)
	}
	if !k.fade.next.IsZero() {
		until(k.fade.next)
	}
	if !k.cutBy.IsZero() {
		until(k.cutBy)
	}
	if !k.fillAt.IsZero() {
		until(k.fillAt)
	}
	if end, ok := k.end(now); ok {
		until(end)
	}
	return wait
}

// end is when everything sent will have been heard, if there is no more.
func (k *core) end(now time.Time) (time.Time, bool) {
	if !k.last && !k.dry {
		return time.Time{}, false
	}
	s := k.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Add(s.clock.left(now) + endMargin), s.clock.moving
}

// tick does the work that is due.
func (k *core) tick() error {
	now := time.Now()
	if len(k.pending) > 0 && now.Sub(k.pending[0].sent) >= replyTimeout {
		return errTimeout
	}
	if k.watch.check(now) {
		k.nextPoll = time.Time{} // a request is pending already
		if k.moving() {
			k.stream.freeze()
			k.cfg.Notify()
		}
	}
	if !k.cutBy.IsZero() && !now.Before(k.cutBy) {
		k.flush()
	}
	if !k.fillAt.IsZero() && !now.Before(k.fillAt) {
		k.fillAt = time.Time{}
	}
	if end, ok := k.end(now); ok && !now.Before(end) {
		k.idle = true
		s := k.stream
		s.mu.Lock()
		s.clock.heard, s.clock.at, s.clock.moving = float64(k.sent), now, false
		s.mu.Unlock()
		k.nextPoll = time.Time{}
		k.cfg.Notify()
	}
	if !k.nextPoll.IsZero() && !now.Before(k.nextPoll) {
		k.requestTiming()
	}
	if !k.fade.next.IsZero() && !now.Before(k.fade.next) {
		k.await(k.conn.command(opSetSinkInputVolume, args{}.u32(k.input).volume(k.fade.step(now))))
	}
	return nil
}
