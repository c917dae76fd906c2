package pulse

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"waxwing/internal/audio"
)

const (
	// chunkTime is what is pulled and sent at a time. New wishes are looked at between
	// two chunks, and the first chunk of an epoch is enough for the server to start.
	chunkTime = 2 * startTime
	// cutGrace is how long the old sound may go on while the first samples of a new epoch
	// are on their way: a seek without a hole. Then silence is better than being late.
	cutGrace = 20 * time.Millisecond
	// prebufferTime of a new epoch is sent before the server asks for it, lest a moment in which one of us is held up leave a hole
	// behind the first chunk. The rest of its buffer is filled fillDelay later: a second of sound keeps us and the server
	// busy at the moment when somebody waits to hear the first of it.
	prebufferTime = 3 * chunkTime
	fillDelay     = 30 * time.Millisecond
	// padTime is more than a server ever asks for in one cycle.
	padTime = 200 * time.Millisecond
	// replyTimeout is how long the server may leave a command unanswered or a write waiting.
	replyTimeout = 5 * time.Second
)

var (
	errTimeout = errors.New("the sound server does not answer")
	errClosed  = errors.New("the sound server has closed the connection")
	errKilled  = errors.New("the sound device is gone")
)

// core owns the server's side of a stream: everything below is touched by its goroutine alone.
type core struct {
	conn    *conn
	cfg     audio.StreamConfig
	stream  *stream
	channel uint32 // the stream's number for commands and samples
	input   uint32 // its number among all that plays on the server
	target  target // what has been carried out

	corked     bool
	cutBy      time.Time     // when the old epoch must be thrown away; zero: it has been
	fillAt     time.Time     // until then no more than prebufferTime of the epoch is sent; zero: it is past
	deviceTime time.Duration // what the device renders ahead
	startBytes int           // the server starts by itself when it has this much
	room       int           // bytes that the server has asked for and not yet got
	ahead      int           // bytes that may be sent before the server asks, right after a flush
	sent       int64         // frames of this epoch
	bytes      int64         // bytes sent since the last flush
	flushed    uint64        // the cut for which that was
	last       bool          // nothing follows in this epoch
	dry        bool          // Pull had no more; ask again after Wake

	timing
	fade    fade
	samples []float32 // one chunk
}

// run carries out wishes and feeds the server until the stream is closed or lost.
func (k *core) run() {
	messages := make(chan message)
	quit := make(chan struct{})
	readerDone := make(chan error, 1)
	go func() { readerDone <- k.read(messages, quit) }()
	timer := time.NewTimer(math.MaxInt64)
	defer timer.Stop()
	atOnce := make(chan time.Time)
	close(atOnce)
	ended := false // the reader has ended
	var err error
	for err == nil {
		k.applyTarget()
		busy := k.fill()
		k.release()
		if err = k.conn.send(replyTimeout); err != nil {
			break
		}
		due := (<-chan time.Time)(atOnce) // not even a moment's sleep between two chunks: it may become a long one
		if !busy {
			timer.Reset(k.nextWait())
			due = timer.C
		}
		select {
		case <-k.stream.stop:
			err = errClosed
		case m := <-messages:
			err = k.handle(m)
		case err = <-readerDone:
			ended = true
		case <-k.stream.wake:
		case <-due:
			err = k.tick()
		}
	}
	_ = k.conn.nc.Close()
	close(quit)
	if !ended {
		<-readerDone
	}
	select {
	case <-k.stream.stop:
	default:
		k.fail(err)
	}
}

// read passes the server's messages on until the connection ends.
func (k *core) read(to chan<- message, quit <-chan struct{}) error {
	for {
		m, err := k.conn.receive()
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return errClosed
		case errors.Is(err, errMalformed):
			return err
		case err != nil:
			return fmt.Errorf("%w: %w", errClosed, err)
		}
		select {
		case to <- m:
		case <-quit:
			return nil
		}
	}
}

// lose tells the player that this stream will not sound again.
func (k *core) fail(err error) {
	k.stream.freeze()
	k.stream.mu.Lock()
	k.stream.err = err
	k.stream.mu.Unlock()
	k.cfg.Notify()
}

// obey turns new wishes into commands.
func (k *core) applyTarget() {
	s := k.stream
	s.mu.Lock()
	w := s.target
	s.target.woken = false
	s.mu.Unlock()
	if w.woken {
		k.dry = false
	}
	if w.volume != k.target.volume {
		k.fade.to(volumeOf(k.target.volume), volumeOf(w.volume), k.moving())
	}
	cut := w.cuts != k.target.cuts
	if !w.playing && !k.corked {
		k.cork(true)
	}
	k.target = w
	if cut {
		k.beginEpoch()
		k.sent, k.last, k.dry = 0, false, false
		now := time.Now()
		k.cutBy, k.fillAt = now.Add(cutGrace), now.Add(fillDelay)
	}
	if k.corked {
		k.flush()
	}
}

// cork stops the device, or lets it go on. A corked stream makes the server take
// back what the device has not played yet, if the device can.
func (k *core) cork(on bool) {
	k.corked = on
	if on {
		k.stream.freeze()
	}
	k.await(k.conn.command(opCorkPlaybackStream, args{}.u32(k.channel).flag(on)))
	k.requestTiming()
}

// flush throws away what the server holds of the epoch before, once in an epoch.
// What the device has rendered ahead is left to it when that is no more than we asked for;
// else the stream is corked for the moment, so that it is taken back.
func (k *core) flush() {
	if k.cutBy.IsZero() {
		return
	}
	if !k.corked && k.deviceTime > 2*deviceTime {
		k.cork(true)
	}
	k.cutBy = time.Time{}
	k.await(k.conn.command(opFlushPlaybackStream, args{}.u32(k.channel)))
	k.ahead = int(prebufferTime.Seconds()*float64(k.cfg.Rate)) * frameSize
	k.flushed, k.bytes = k.target.cuts, 0
}

// fill pulls one chunk if the server wants it, and reports whether it may want another.
func (k *core) fill() (more bool) {
	frames := len(k.samples) / 2
	if k.cutBy.IsZero() {
		frames = min(frames, (k.room+k.ahead)/frameSize)
	}
	if frames <= 0 || k.last || k.dry || k.prebuffered() {
		return false
	}
	n, last := k.cfg.Pull(k.target.epoch, k.samples[:2*frames])
	k.last = last
	k.dry = n < frames && !last
	cut := !k.cutBy.IsZero()
	if n > 0 || last {
		k.flush() // with the new samples at its heels, lest the device run dry in between
	}
	if n > 0 {
		k.write(n * frameSize)
		for _, v := range k.samples[:2*n] {
			k.conn.out = binary.LittleEndian.AppendUint32(k.conn.out, math.Float32bits(v))
		}
		k.sent += int64(n)
		k.pulled(k.sent)
	}
	if last {
		k.pad()
	}
	if cut && k.cutBy.IsZero() {
		k.requestTiming()
	}
	return !last && !k.dry
}

// resting reports whether enough was sent for now.
func (k *core) prebuffered() bool {
	return !k.fillAt.IsZero() && float64(k.sent) >= prebufferTime.Seconds()*float64(k.cfg.Rate)
}

// write begins a block of n bytes of samples.
func (k *core) write(n int) {
	k.conn.header(k.channel, n)
	k.room -= n
	k.bytes += int64(n)
}

// pad sends silence after the last sample. Without it a server waits for more before it
// starts a short clip, and PipeWire keeps a rest that does not fill one of its cycles to itself.
func (k *core) pad() {
	n := int(padTime.Seconds()*float64(k.cfg.Rate)) * frameSize
	k.write(n)
	k.conn.out = append(k.conn.out, make([]byte, n)...)
}

// release uncorks a stream that is to play once it holds enough to start with.
func (k *core) release() {
	if k.target.playing && k.corked && (k.last || k.sent*frameSize >= int64(k.startBytes)) {
		k.cork(false)
	}
}

// handle takes in one message of the server.
func (k *core) handle(m message) error {
	k.watch.heard()
	r := &m.body
	switch m.op {
	case opReply, opError:
		return k.handleReply(m)
	case opRequest:
		if r.u32() == k.channel {
			k.room += int(min(r.u32(), maxMessage))
			k.ahead = 0
			k.requestTiming()
		}
	case opStreamMoved:
		if r.u32() == k.channel {
			r.u32()
			r.text()
			r.flag()
			_, _, k.startBytes, _ = r.u32(), r.u32(), int(r.u32()), r.u32()
			k.deviceTime = r.duration()
			k.requestTiming()
		}
	case opUnderflow, opStarted, opStreamSuspended:
		if r.u32() == k.channel {
			k.starved = m.op == opUnderflow
			k.idle = k.idle && m.op != opStarted
			k.requestTiming()
		}
	case opStreamKilled:
		if r.u32() == k.channel {
			return errKilled
		}
	}
	return r.err
}
