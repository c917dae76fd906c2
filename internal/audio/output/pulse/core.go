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
	// chunkTime is what is pulled and sent at a time. The target state is checked between two chunks,
	// and the first chunk of an epoch is enough for the server to start.
	chunkTime = 2 * startTime
	// cutGrace is how long the old epoch keeps playing until the first samples of a new one are
	// available, so that a seek leaves no gap. Then it is silenced.
	cutGrace = 20 * time.Millisecond
	// prebufferTime of a new epoch is sent before the server requests it, so that a short delay causes
	// no gap after the first chunk. The rest of the buffer is filled fillDelay later: sending a second
	// of audio at once would delay its first sample.
	prebufferTime = 3 * chunkTime
	fillDelay     = 30 * time.Millisecond
	// padTime is more than a server requests in one cycle.
	padTime = 200 * time.Millisecond
	// replyTimeout is how long the server may take to reply to a command or to accept a write.
	replyTimeout = 5 * time.Second
)

var (
	errTimeout = errors.New("the sound server does not respond")
	errClosed  = errors.New("the sound server has closed the connection")
	errKilled  = errors.New("the sound device was removed")
)

// core owns the server's side of a stream: only its goroutine uses the fields below.
type core struct {
	conn    *conn
	cfg     audio.StreamConfig
	stream  *stream
	channel uint32 // id of the stream for commands and samples
	input   uint32 // id of the stream among all sink inputs of the server
	target  target // the state that was applied

	corked     bool
	cutBy      time.Time     // when the old epoch must be discarded; zero: it was
	fillAt     time.Time     // until then at most prebufferTime of the epoch is sent; zero: it is past
	deviceTime time.Duration // the device's own buffer
	startBytes int           // the server starts by itself with this much
	room       int           // bytes that the server has requested and not yet received
	ahead      int           // bytes that may be sent before a request, right after a flush
	sent       int64         // frames of this epoch
	bytes      int64         // bytes sent since the last flush
	flushed    uint64        // the number of the cut that this flush was for
	last       bool          // nothing follows in this epoch
	dry        bool          // Pull had no more; pull again after Wake

	timing
	fade    fade
	samples []float32 // one chunk
}

// run applies the target state and feeds the server until the stream is closed or fails.
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
		due := (<-chan time.Time)(atOnce) // no sleep between two chunks: a short one may become long
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

// fail ends the stream with an error and notifies the player.
func (k *core) fail(err error) {
	k.stream.freeze()
	k.stream.mu.Lock()
	k.stream.err = err
	k.stream.mu.Unlock()
	k.cfg.Notify()
}

// applyTarget sends the commands for a changed target state.
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

// cork stops or resumes the device. When a stream is corked, the server takes back what the device
// has not played yet, if the device can.
func (k *core) cork(on bool) {
	k.corked = on
	if on {
		k.stream.freeze()
	}
	k.await(k.conn.command(opCorkPlaybackStream, args{}.u32(k.channel).flag(on)))
	k.requestTiming()
}

// flush discards what the server holds of the previous epoch, once in an epoch. If the device's
// buffer is no longer than requested, it is left to play; otherwise the stream is corked for a
// short time, so that the server takes it back.
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

// fill pulls one chunk if the server has room, and reports whether there may be room for another.
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
		k.flush() // immediately followed by new samples, so that the device does not underrun
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

// prebuffered reports whether enough was sent for now.
func (k *core) prebuffered() bool {
	return !k.fillAt.IsZero() && float64(k.sent) >= prebufferTime.Seconds()*float64(k.cfg.Rate)
}

// write begins a block of n bytes of samples.
func (k *core) write(n int) {
	k.conn.header(k.channel, n)
	k.room -= n
	k.bytes += int64(n)
}

// pad sends silence after the last sample. Without it a server waits for more before it starts a
// short clip, and PipeWire does not play a rest that fills less than one cycle.
func (k *core) pad() {
	n := int(padTime.Seconds()*float64(k.cfg.Rate)) * frameSize
	k.write(n)
	k.conn.out = append(k.conn.out, make([]byte, n)...)
}

// release uncorks a stream that should play, once the server has enough to start.
func (k *core) release() {
	if k.target.playing && k.corked && (k.last || k.sent*frameSize >= int64(k.startBytes)) {
		k.cork(false)
	}
}

// handle processes one message of the server.
func (k *core) handle(m message) error {
	k.watch.received()
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
