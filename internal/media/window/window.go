// Package window reads small pieces of a file through a few cached pages. Every offset and length
// is checked against the size of the file and a fixed limit before memory is allocated.
package window

import (
	"errors"
	"fmt"
	"io"
)

const (
	// PageSize is the usual length of one read: the headers of most files fit in the first page.
	PageSize = 8 << 10
	// MaxRead is the most that At and Peek return, whatever length a file claims.
	MaxRead = 1 << 20
	// pageCount is the number of pages that are cached: typically the head of the file, the
	// start of the audio and the tail.
	pageCount = 3
)

// ErrDamaged is wrapped by errors about a file whose structure is invalid or truncated.
var ErrDamaged = errors.New("damaged file")

// Damaged returns an error that wraps ErrDamaged.
func Damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// Reader is a view of a file from some offset to its end. It is used by one goroutine at a time.
type Reader struct {
	cache *cache
	base  int64 // offset of the view in the file
	size  int64 // of the view
}

type cache struct {
	r        io.ReaderAt
	pageSize int
	pages    [pageCount]page // most recently used first
}

type page struct {
	off int64
	buf []byte
}

// New returns a Reader of the first size bytes of r.
func New(r io.ReaderAt, size int64) *Reader { return NewSize(r, size, PageSize) }

// NewSize is New with pages of another length.
func NewSize(r io.ReaderAt, size int64, pageSize int) *Reader {
	return &Reader{cache: &cache{r: r, pageSize: pageSize}, size: max(size, 0)}
}

// Reset makes w a Reader of another file and keeps its memory.
func (w *Reader) Reset(r io.ReaderAt, size int64) {
	if w.cache == nil {
		w.cache = &cache{pageSize: PageSize}
	}
	w.cache.r = r
	for i := range w.cache.pages {
		w.cache.pages[i].buf = w.cache.pages[i].buf[:0]
	}
	w.base, w.size = 0, max(size, 0)
}

// From returns the view that begins at off. Both views share their pages.
func (w *Reader) From(off int64) *Reader { return w.Section(off, w.size) }

// Section returns the view of up to size bytes at off. Both views share their pages.
func (w *Reader) Section(off, size int64) *Reader {
	off = min(max(off, 0), w.size)
	return &Reader{cache: w.cache, base: w.base + off, size: min(max(size, 0), w.size-off)}
}

// Size returns the length of the view in bytes.
func (w *Reader) Size() int64 { return w.size }

// ReadAt implements io.ReaderAt without the cache.
func (w *Reader) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 || off >= w.size {
		return 0, io.EOF
	}
	if left := w.size - off; int64(len(b)) > left {
		n, err := w.cache.r.ReadAt(b[:left], w.base+off)
		if err == nil {
			err = io.EOF
		}
		return n, err
	}
	return w.cache.r.ReadAt(b, w.base+off)
}

// At returns exactly n bytes at off. They are valid until the next call of At or Peek on any view
// of the file.
func (w *Reader) At(off int64, n int) ([]byte, error) {
	if n < 0 || n > MaxRead {
		return nil, Damaged("a block of %d bytes is too large", n)
	}
	if off < 0 || off > w.size-int64(n) {
		return nil, Damaged("the file ends too early")
	}
	return w.cache.read(w.base+off, n, w.size-off)
}

// Peek is At, but returns fewer bytes, or none, where the file ends.
func (w *Reader) Peek(off int64, n int) ([]byte, error) {
	if off < 0 || off >= w.size {
		return nil, nil
	}
	return w.At(off, int(min(int64(n), w.size-off)))
}

// read returns n bytes at off; left is the number of bytes from there to the end of the file.
func (c *cache) read(off int64, n int, left int64) ([]byte, error) {
	for i := range c.pages {
		p := &c.pages[i]
		if skip := off - p.off; skip >= 0 && skip <= int64(len(p.buf)-n) {
			b := p.buf[skip : skip+int64(n)]
			c.promote(i)
			return b, nil
		}
	}
	c.promote(c.victim(off))
	p := &c.pages[0]
	want := int(min(max(int64(n), int64(c.pageSize)), left))
	if cap(p.buf) < want {
		p.buf = make([]byte, 0, max(want, c.pageSize))
	}
	p.off = off
	got, err := c.r.ReadAt(p.buf[:want], off)
	p.buf = p.buf[:got]
	if got >= n {
		return p.buf[:n], nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return nil, Damaged("the file became shorter while it was read")
	}
	return nil, fmt.Errorf("read at %d: %w", off, err)
}

// victim returns the page to replace: the one that off continues, so that a sequential reader uses
// one page, or else the least recently used.
func (c *cache) victim(off int64) int {
	for i, p := range c.pages {
		if off > p.off && off <= p.off+int64(len(p.buf)) {
			return i
		}
	}
	return pageCount - 1
}

func (c *cache) promote(i int) {
	p := c.pages[i]
	copy(c.pages[1:i+1], c.pages[:i])
	c.pages[0] = p
}
