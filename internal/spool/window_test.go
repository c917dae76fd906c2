package spool

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

// used is the size of the temporary file and of the blocks in memory.
func (f *File) used(t *testing.T) int64 {
	t.Helper()
	info, err := f.buf.file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f.buf.mu.RLock()
	defer f.buf.mu.RUnlock()
	return info.Size() + int64(len(f.buf.blocks))*block
}

// TestWindowFollowsTheReader plays a file four times as large as its limit, seeks in it, and
// compares every byte.
func TestWindowFollowsTheReader(t *testing.T) {
	data := noise(4 * MinLimit)
	synctest.Test(t, func(t *testing.T) {
		r := &remote{data: data, perRead: time.Millisecond}
		f, err := Open(t.Context(), r.fetch, Options{Dir: t.TempDir(), Limit: MinLimit,
			Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		read := func(off int64, n int) {
			t.Helper()
			got := make([]byte, n)
			k, err := f.ReadAt(got, off)
			want := data[off:min(off+int64(n), int64(len(data)))]
			if !bytes.Equal(got[:k], want) || err != nil && err != io.EOF {
				t.Fatalf("read %d at %d: %d bytes, %v; want the file's", n, off, k, err)
			}
			if used := f.used(t); used > MinLimit {
				t.Fatalf("the spool takes %d bytes, want at most %d", used, MinLimit)
			}
		}
		for off := int64(0); off < int64(len(data)); off += 100_000 {
			read(off, 100_000)
		}
		if n := r.fetches.Load(); n > 40 {
			t.Errorf("%d connections to play through, want one for each quarter of the window", n)
		}
		rnd := rand.New(rand.NewPCG(3, 3))
		for range 60 {
			read(rnd.Int64N(int64(len(data))), 1+rnd.IntN(300_000))
		}
		read(0, len(data)) // one read that is larger than the window
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// endless is a body without end.
type endless struct{ ctx context.Context }

func (e endless) Read(p []byte) (int, error) { return len(p), e.ctx.Err() }
func (e endless) Close() error               { return nil }

// TestEndlessFileStopsAtTheWindow: a size of 10 TB is believed, but not stored.
func TestEndlessFileStopsAtTheWindow(t *testing.T) {
	const size = 10 << 40
	synctest.Test(t, func(t *testing.T) {
		f, err := Open(t.Context(), func(ctx context.Context, _ int64) (io.ReadCloser, int64, error) {
			return endless{ctx}, size, nil
		}, Options{Dir: t.TempDir(), Limit: MinLimit, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		for _, off := range []int64{0, size / 2, size - 4, 1 << 30} {
			if _, err := f.ReadAt(make([]byte, 4), off); err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // until the fetch has stopped
			if used := f.used(t); used > MinLimit {
				t.Fatalf("the spool takes %d bytes, want at most %d", used, MinLimit)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestTrickleEndsTheSpool: one byte a second, no byte at all, and a body that ends at once.
func TestTrickleEndsTheSpool(t *testing.T) {
	for name, perRead := range map[string]time.Duration{"trickle": time.Second, "silent": time.Hour, "empty": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fetches := 0
				f, err := Open(t.Context(), func(ctx context.Context, _ int64) (io.ReadCloser, int64, error) {
					fetches++
					body := io.Reader(bytes.NewReader(nil))
					if perRead > 0 {
						body = io.LimitReader(endless{ctx}, 1<<20)
					}
					return &slowBody{ctx, oneByte{body}, perRead}, 1 << 30, nil
				}, Options{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				if _, err := f.ReadAt(make([]byte, 1000), 0); !errors.Is(err, ErrTooSlow) {
					t.Errorf("%v, want %v", err, ErrTooSlow)
				}
				if took := time.Since(began); took > 90*time.Second || fetches != maxFutile {
					t.Errorf("it took %v and %d connections, want at most 90 s and %d", took, fetches, maxFutile)
				}
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

type oneByte struct{ io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.Reader.Read(p[:1]) }
