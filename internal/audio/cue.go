package audio

import (
	"errors"
	"io"
	"sync"
	"time"
)

// aheadTime is how much audio a Cue keeps decoded: enough for a slow disk or network, small enough
// that two cues (the one heard and the next) take a few megabytes.
const aheadTime = 2 * time.Second

// chunkFrames is how much is decoded between checks for a seek or a close. The first chunk
// determines the latency of a seek, so it is small.
const chunkFrames = 2048

// backgroundDelay is how long work that no listener waits for is deferred, so that it does not slow
// down a change of track.
const backgroundDelay = 30 * time.Millisecond

// Cue is a source that is decoded ahead of the listener, on a goroutine of its own, into a ring of
// stereo frames. Reading from it never blocks.
type Cue struct {
	info   Info
	src    Source
	gain   float32
	cancel func() // makes a read that is blocked on the network fail
	rings  rings

	mu     sync.Mutex
	ring   []float32 // interleaved stereo
	head   int       // frame in ring that is read next
	fill   int       // frames in ring
	seek   int64     // frame that the decoder has yet to seek to; -1: none
	at     int64     // track frame that take yields next
	err    error     // why nothing follows what is in ring; io.EOF at the natural end
	closed bool
	ready  func() // called when an empty ring has frames again or has ended

	room chan struct{} // one slot: the decoder has work

	heardFrames int64 // frames that reached the listener; only the deck's owner uses it
}

// newCue returns a cue of a stereo source. The caller runs run on a goroutine of its own.
func newCue(src Source, gain float64, cancel func(), rings rings) *Cue {
	info := src.Info()
	frames := max(int(aheadTime.Seconds()*float64(info.Rate)), 4*chunkFrames)
	return &Cue{
		info: info, src: src, gain: float32(gain), cancel: cancel,
		rings: rings, ring: rings.take(2 * frames),
		seek: -1,
		room: make(chan struct{}, 1),
	}
}

// Info describes the cue as it is played: stereo, at the deck's rate.
func (c *Cue) Info() Info { return c.info }

// Length is the duration of the cue, or 0 when it is unknown.
func (c *Cue) Length() time.Duration {
	if c.info.Frames < 0 {
		return 0
	}
	return frameTime(c.info.Frames, c.info.Rate)
}

// Close ends decoding. It does not block: the decoder's goroutine closes the source.
func (c *Cue) Close() {
	c.retire()
	c.wakeDecoder()
}

// retire ends decoding and leaves closing the source to Close, because closing a large file is
// slow.
func (c *Cue) retire() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
}

func (c *Cue) wakeDecoder() {
	select {
	case c.room <- struct{}{}:
	default:
	}
}

// rewind makes frame the next one taken and discards what was decoded.
func (c *Cue) rewind(frame int64) {
	if c.info.Frames >= 0 {
		frame = min(frame, c.info.Frames)
	}
	c.mu.Lock()
	c.seek, c.at, c.head, c.fill, c.err = frame, frame, 0, 0, nil
	c.mu.Unlock()
	c.wakeDecoder()
}

// position is the track frame that take yields next.
func (c *Cue) position() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// take copies decoded frames into dst. n == 0 and a nil error: none yet, ready will be called.
// n == 0 and an error: the cue has ended.
func (c *Cue) take(dst []float32) (n int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := len(c.ring) / 2 // 0 after the end, when nothing is left to take
	for n < len(dst)/2 && c.fill > 0 {
		k := min(len(dst)/2-n, c.fill, size-c.head)
		copy(dst[2*n:], c.ring[2*c.head:2*(c.head+k)])
		c.head = (c.head + k) % size
		c.fill -= k
		n += k
	}
	c.at += int64(n)
	if c.err == nil && size-c.fill >= size/4 {
		c.wakeDecoder() // by quarters: twice a second and not at every pull
	}
	if n == 0 {
		err = c.err
	}
	return n, err
}

// run decodes until Close.
func (c *Cue) run() {
	defer c.free()
	buf := make([]float32, 2*chunkFrames)
	delay := time.NewTimer(0)
	defer delay.Stop()
	for range c.room {
		for delay.Reset(backgroundDelay); !c.urgent(); {
			select {
			case <-c.room:
				continue
			case <-delay.C:
			}
			break
		}
		for {
			c.mu.Lock()
			if c.closed {
				c.mu.Unlock()
				return
			}
			seek := c.seek
			c.seek = -1
			idle := c.err != nil || len(c.ring)/2-c.fill < chunkFrames
			c.mu.Unlock()
			if seek < 0 && idle {
				break
			}
			var n int
			var err error
			if seek >= 0 {
				err = c.src.SeekTo(seek)
			}
			if err == nil {
				n, err = c.src.Read(buf)
			}
			c.push(buf[:2*n], err)
		}
	}
}

// free releases the source and the ring.
func (c *Cue) free() {
	_ = c.src.Close() // it was only read from
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rings.put(c.ring)
	c.ring, c.head, c.fill = nil, 0, 0
}

// urgent reports whether decoding must not be deferred. After a change of track the device takes
// its first buffer from a full ring; refilling that can wait.
func (c *Cue) urgent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed || c.seek >= 0 || c.fill < len(c.ring)/2*3/8
}

// push adds decoded frames to the ring, unless a seek has made them stale.
func (c *Cue) push(frames []float32, err error) {
	for i := range frames {
		frames[i] *= c.gain
	}
	c.mu.Lock()
	if c.seek >= 0 {
		c.mu.Unlock()
		return
	}
	wasEmpty := c.fill == 0
	size := len(c.ring) / 2
	tail := (c.head + c.fill) % size
	k := copy(c.ring[2*tail:], frames)
	copy(c.ring, frames[k:])
	c.fill += len(frames) / 2
	c.err = err
	ready := c.ready
	c.mu.Unlock()
	if ready != nil && (wasEmpty || err != nil) {
		ready()
	}
}

// onReady sets the function that is called when an empty ring has frames again or has ended.
func (c *Cue) onReady(f func()) {
	c.mu.Lock()
	c.ready = f
	c.mu.Unlock()
}

// Heard is how much of the cue the listener has heard, seeks excluded. Only the deck's owner calls
// it.
func (c *Cue) Heard() time.Duration { return frameTime(c.heardFrames, c.info.Rate) }

// Failure returns err unless it is the natural end of a cue, for which it returns nil.
func Failure(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func frameTime(frames int64, rate int) time.Duration {
	// In two parts, so that hours at 384 kHz do not overflow.
	r := int64(rate)
	return time.Duration(frames/r)*time.Second + time.Duration(frames%r)*time.Second/time.Duration(r)
}

// timeFrame is the inverse of frameTime, to the nearest frame.
func timeFrame(t time.Duration, rate int) int64 {
	r := int64(rate)
	sec, rest := int64(t/time.Second), int64(t%time.Second)
	return sec*r + (rest*r+int64(time.Second)/2)/int64(time.Second)
}
