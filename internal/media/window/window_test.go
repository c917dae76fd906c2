package window_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"waxwing/internal/media/window"
)

// counter counts the reads of a file.
type counter struct {
	*bytes.Reader
	reads int
}

func (c *counter) ReadAt(b []byte, off int64) (int, error) {
	c.reads++
	return c.Reader.ReadAt(b, off)
}

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return b
}

func TestReadsAreBounded(t *testing.T) {
	w := window.New(bytes.NewReader(pattern(100)), 100)
	for _, c := range []struct {
		off int64
		n   int
	}{{-1, 1}, {0, 101}, {100, 1}, {0, -1}, {1 << 62, 1}, {0, window.MaxRead + 1}, {99, 2}} {
		if b, err := w.At(c.off, c.n); !errors.Is(err, window.ErrDamaged) {
			t.Errorf("At(%d, %d) = %d bytes, %v; want ErrDamaged", c.off, c.n, len(b), err)
		}
	}
	if b, err := w.Peek(98, 10); err != nil || len(b) != 2 {
		t.Errorf("Peek(98, 10) = %d bytes, %v; want 2", len(b), err)
	}
	if b, err := w.Peek(100, 10); err != nil || b != nil {
		t.Errorf("Peek at the end = %v, %v; want none", b, err)
	}
	if _, err := window.New(bytes.NewReader(pattern(10)), 1<<40).At(5, 10); !errors.Is(err, window.ErrDamaged) {
		t.Errorf("a file shorter than its size: %v, want ErrDamaged", err)
	}
}

func TestViewsShareTheirPages(t *testing.T) {
	data := pattern(1 << 20)
	c := &counter{Reader: bytes.NewReader(data)}
	w := window.New(c, int64(len(data)))
	tail := w.From(int64(len(data)) - 200)
	for range 3 {
		for _, v := range []struct {
			w   *window.Reader
			off int64
			abs int64
		}{{w, 10, 10}, {w, 500_000, 500_000}, {tail, 100, int64(len(data)) - 100}} {
			b, err := v.w.At(v.off, 50)
			if err != nil || !bytes.Equal(b, data[v.abs:v.abs+50]) {
				t.Fatalf("wrong bytes at %d (%v)", v.abs, err)
			}
		}
	}
	if c.reads != 3 {
		t.Errorf("%d reads for three places, want 3", c.reads)
	}
	b := make([]byte, 300)
	if n, err := tail.ReadAt(b, 0); n != 200 || err != io.EOF {
		t.Errorf("ReadAt past the end = %d, %v; want 200, EOF", n, err)
	}
}

func TestSequentialReadsKeepOtherPages(t *testing.T) {
	data := pattern(1 << 20)
	c := &counter{Reader: bytes.NewReader(data)}
	w := window.New(c, int64(len(data)))
	if _, err := w.At(900_000, 10); err != nil {
		t.Fatal(err)
	}
	for off := int64(0); off < 800_000; off += 1000 {
		if b, err := w.At(off, 1200); err != nil || !bytes.Equal(b, data[off:off+1200]) {
			t.Fatalf("wrong bytes at %d (%v)", off, err)
		}
	}
	before := c.reads
	if _, err := w.At(900_000, 10); err != nil || c.reads != before {
		t.Errorf("%d more reads (%v), want none: a sequential walk must use one page", c.reads-before, err)
	}
}
