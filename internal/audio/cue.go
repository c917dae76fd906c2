package audio

import (
	"errors"
	"io"
	"sync"
	"time"
)

// aheadTime is how much sound a Cue keeps decoded: enough to ride out a slow disk or network,
// small enough that two cues (the one heard and the next) stay within a few megabytes.
const aheadTime = 2 * time.Second

// chunkFrames is how much is decoded between looks at what the deck wants.
// The first chunk decides how soon after a seek there is sound, so it is small.
const chunkFrames = 2048

// calm is for how long work that nobody waits for stays out of the way of a change that somebody waits to hear.
const calm = 30 * time.Millisecond

// Cue is a source that is being decoded ahead of the listener, on a goroutine
// of its own, into a ring of stereo frames. It never makes its reader wait.
type Cue struct {
	info   Info
	src    Source
	gain   float32
	cancel func() // makes a read that waits for the network fail
	rings  rings

	mu     sync.Mutex
	ring   []float32 // interleaved stereo
	head   int       // frame in ring that is read next
	fill   int       // frames in ring
	seek   int64     // frame to go to, -1 for none: the decoder has not seen it yet
	at     int64     // track frame that take yields next
	err    error     // why nothing follows what is in ring; io.EOF at the natural end
	closed bool
	ready  func() // tells the deck that an empty ring has something to say again

	room chan struct{} // one slot: the decoder has something to do

	heardFrames int64 // kept by the deck: frames that reached the listener
}

// newCue wraps a stereo source. run must be called on a goroutine of its own.
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

// Length is how long the cue plays, or 0 when the file does not say.
func (c *Cue) Length() time.Duration {
	if c.info.Frames < 0 {
		return 0
	}
	return frameTime(c.info.Frames, c.info.Rate)
}

// Close ends decoding. It returns at once; the source is closed by the decoder's goroutine.
func (c *Cue) Close() {
	c.retire()
	c.poke()
}

// retire ends decoding and leaves the source for Close to close: to let go of a large file takes a while.
func (c *Cue) retire() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
}

func (c *Cue) poke() {
	select {
	case c.room <- struct{}{}:
	default:
	}
}

// rewind makes frame the next one taken. What was decoded is dropped.
func (c *Cue) rewind(frame int64) {
	if c.info.Frames >= 0 {
		frame = min(frame, c.info.Frames)
	}
	c.mu.Lock()
	c.seek, c.at, c.head, c.fill, c.err = frame, frame, 0, 0, nil
	c.mu.Unlock()
	c.poke()
}

// place is the track frame that take yields next.
func (c *Cue) place() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// take copies decoded frames into dst. n == 0 with a nil error means: not yet, ready will be called.
// n == 0 with an error means: never again, the cue is at its end.
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
		c.poke() // in quarters, so that a playing deck wakes the decoder twice a second and not at every pull
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
	rest := time.NewTimer(0)
	defer rest.Stop()
	for range c.room {
		for rest.Reset(calm); !c.pressed(); {
			select {
			case <-c.room:
				continue
			case <-rest.C:
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
			c.put(buf[:2*n], err)
		}
	}
}

// free gives back what the cue holds.
func (c *Cue) free() {
	_ = c.src.Close() // nothing was written: there is nothing a close could lose
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rings.put(c.ring)
	c.ring, c.head, c.fill = nil, 0, 0
}

// pressed reports whether the decoder is wanted at once. A ring that is half full can wait a moment: it is so
// after a change of track, when the device fills its buffer and somebody waits to hear it.
func (c *Cue) pressed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed || c.seek >= 0 || c.fill < len(c.ring)/2*3/8
}

// put adds decoded frames to the ring, unless a seek has made them stale.
func (c *Cue) put(frames []float32, err error) {
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

// onReady names who is told when an empty ring has something to say again.
func (c *Cue) onReady(f func()) {
	c.mu.Lock()
	c.ready = f
	c.mu.Unlock()
}

// Failure is why the cue ended before its time; nil at a natural end.
func Failure(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func frameTime(frames int64, rate int) time.Duration {
	// Split, so that hours at 384 kHz do not overflow.
	r := int64(rate)
	return time.Duration(frames/r)*time.Second + time.Duration(frames%r)*time.Second/time.Duration(r)
}

// timeFrame is the inverse of frameTime, to the nearest frame.
func timeFrame(t time.Duration, rate int) int64 {
	r := int64(rate)
	sec, rest := int64(t/time.Second), int64(t%time.Second)
	return sec*r + (rest*r+int64(time.Second)/2)/int64(time.Second)
}
