package stream

import (
	"context"
	"errors"
	"io"
	"math"
	"sync"
	"time"
)

const (
	// tapeSize is the memory of one stream: half of it behind the reader, half ahead.
	tapeSize = 1 << 20
	// stallAfter is how long a server may send nothing.
	stallAfter = 20 * time.Second
)

var errPassed = errors.New("this part of the stream has passed")

// tape holds the end of a stream that arrives and makes it readable like a file. It reads ahead as
// far as its memory allows; then the server has to wait.
type tape struct {
	body   io.Reader
	stop   context.CancelFunc // ends the connection
	copied chan struct{}      // closed when nothing more is read

	mu      sync.Mutex
	changed *sync.Cond
	ring    []byte
	end     int64 // bytes received
	pos     int64 // the farthest that was read
	err     error // why nothing follows; io.EOF: the server has ended the stream
}

// newTape starts to read body. stop must make a blocked read of body fail.
func newTape(ctx context.Context, body io.Reader, stop context.CancelFunc) *tape {
	t := &tape{body: body, stop: stop, copied: make(chan struct{})}
	t.changed = sync.NewCond(&t.mu)
	detach := context.AfterFunc(ctx, func() { t.fail(context.Cause(ctx)) })
	go func() {
		defer close(t.copied)
		defer detach()
		t.copy()
	}()
	return t
}

func (t *tape) copy() {
	buf := make([]byte, 16<<10)
	for {
		stalled := time.AfterFunc(stallAfter, t.stop)
		n, err := t.body.Read(buf)
		stalled.Stop()
		t.mu.Lock()
		t.write(buf[:n])
		if err != nil && t.err == nil {
			t.err = err
		}
		for t.err == nil && t.end-t.pos > tapeSize/2 {
			t.changed.Wait()
		}
		over := t.err != nil
		t.changed.Broadcast()
		t.mu.Unlock()
		if over {
			return
		}
	}
}

// write appends to the ring. The caller holds mu.
func (t *tape) write(p []byte) {
	if t.end < tapeSize { // it grows with the stream: an announcement is short
		n := min(len(p), tapeSize-len(t.ring))
		t.ring = append(t.ring, p[:n]...)
		t.end += int64(n)
		p = p[n:]
	}
	for len(p) > 0 {
		n := copy(t.ring[t.end%tapeSize:], p)
		t.end += int64(n)
		p = p[n:]
	}
	t.changed.Broadcast()
}

func (t *tape) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
	}
	t.changed.Broadcast()
}

// Size is that of a file without an end.
func (t *tape) Size() int64 { return math.MaxInt64 / 2 }

// ReadAt implements io.ReaderAt. It blocks until the bytes have arrived.
func (t *tape) ReadAt(p []byte, off int64) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	want := off + int64(len(p))
	for t.end < want && t.err == nil {
		if t.pos < off { // a reader that is ahead of the buffer makes room
			t.pos = off
			t.changed.Broadcast()
		}
		t.changed.Wait()
	}
	if off < max(t.end-tapeSize, 0) {
		return 0, errPassed
	}
	n := 0
	for n < len(p) && off < t.end {
		at := off % tapeSize
		k := copy(p[n:min(int64(len(p)), int64(n)+t.end-off)], t.ring[at:min(int64(len(t.ring)), at+t.end-off)])
		n, off = n+k, off+int64(k)
	}
	t.pos = max(t.pos, off)
	t.changed.Broadcast()
	if n < len(p) {
		return n, t.err
	}
	return n, nil
}

// await waits until the stream has ended, has filled half of the tape, or time has passed. It
// returns the whole stream if that has ended.
func (t *tape) await(limit time.Duration) (whole []byte, ended bool) {
	passed := false
	timer := time.AfterFunc(limit, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		passed = true
		t.changed.Broadcast()
	})
	defer timer.Stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.err == nil && t.end <= tapeSize/2 && !passed {
		t.changed.Wait()
	}
	if t.err != io.EOF || t.end > tapeSize {
		return nil, false
	}
	return t.ring, true
}

// ended reports whether the server has ended the stream in order.
func (t *tape) ended() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return errors.Is(t.err, io.EOF)
}

// close ends the connection and waits until nothing is read any more.
func (t *tape) close() {
	t.fail(io.ErrClosedPipe)
	t.stop()
	<-t.copied
}
