package tags

import (
	"errors"
	"fmt"
	"io"
)

const (
	// windowSize is what one look at the file fetches: large enough that the headers of a
	// usual file come with the first one.
	windowSize = 8 << 10
	// maxBlock bounds what is ever held of a file at once, whatever sizes it claims.
	maxBlock = 1 << 20
)

// window is a bounded view into a file. It keeps the last piece that was read,
// so that many small looks cost one read.
type window struct {
	r    io.ReaderAt
	size int64
	buf  []byte
	off  int64 // where in the file buf lies
}

func newWindow(r io.ReaderAt, size int64) *window { return &window{r: r, size: max(size, 0)} }

// at returns exactly n bytes from off on. They are valid until the next call of at or peek.
func (w *window) at(off int64, n int) ([]byte, error) {
	if n < 0 || n > maxBlock {
		return nil, damaged("a block of %d bytes is not believable", n)
	}
	if off < 0 || off > w.size-int64(n) {
		return nil, damaged("the file ends too early")
	}
	if start := off - w.off; start >= 0 && start <= int64(len(w.buf)-n) {
		return w.buf[start : start+int64(n)], nil
	}
	want := int(min(max(int64(n), windowSize), w.size-off))
	if cap(w.buf) < want {
		w.buf = make([]byte, 0, max(want, windowSize))
	}
	w.off = off
	got, err := w.r.ReadAt(w.buf[:want], off)
	w.buf = w.buf[:got]
	if got >= n {
		return w.buf[:n], nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return nil, damaged("the file became shorter while it was read")
	}
	return nil, fmt.Errorf("read at %d: %w", off, err)
}

// peek is at, but gives fewer bytes, or none, where the file ends.
func (w *window) peek(off int64, n int) ([]byte, error) {
	if off < 0 || off >= w.size {
		return nil, nil
	}
	return w.at(off, int(min(int64(n), w.size-off)))
}
