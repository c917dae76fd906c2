package spool

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// remote serves data with faults: every connection breaks after breakAfter bytes, fetches fail
// while down is set.
type remote struct {
	data       []byte
	breakAfter int64
	perRead    time.Duration
	down       atomic.Bool
	fetches    atomic.Int64
}

func (r *remote) fetch(ctx context.Context, off int64) (io.ReadCloser, int64, error) {
	r.fetches.Add(1)
	if r.down.Load() {
		return nil, 0, errors.New("connection refused")
	}
	body := io.Reader(bytes.NewReader(r.data[off:]))
	if r.breakAfter > 0 {
		body = io.LimitReader(body, r.breakAfter)
	}
	return &slowBody{ctx, body, r.perRead}, int64(len(r.data)), nil
}

type slowBody struct {
	ctx  context.Context
	r    io.Reader
	wait time.Duration
}

func (b *slowBody) Read(p []byte) (int, error) {
	select {
	case <-time.After(b.wait):
	case <-b.ctx.Done():
		return 0, b.ctx.Err()
	}
	return b.r.Read(p)
}
func (b *slowBody) Close() error { return nil }

func noise(n int) []byte {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	return b
}

func open(t *testing.T, r *remote) *File {
	t.Helper()
	f, err := Open(t.Context(), r.fetch, Options{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestReadAtWorksOverABreakingConnection(t *testing.T) {
	data := noise(3 << 20)
	synctest.Test(t, func(t *testing.T) {
		r := &remote{data: data, breakAfter: 300_000, perRead: 10 * time.Millisecond}
		f := open(t, r)
		rnd := rand.New(rand.NewPCG(7, 7))
		for range 200 {
			off, n := rnd.Int64N(int64(len(data))), 1+rnd.IntN(100_000)
			got := make([]byte, n)
			k, err := f.ReadAt(got, off)
			want := data[off:min(off+int64(n), int64(len(data)))]
			if !bytes.Equal(got[:k], want) || (err == io.EOF) != (k < n) || err != nil && err != io.EOF {
				t.Fatalf("read of %d bytes at %d: got %d, error %v; want %d bytes of the data", n, off, k, err, len(want))
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestFarReadDoesNotWaitForTheBytesBetween(t *testing.T) {
	data := noise(8 << 20)
	synctest.Test(t, func(t *testing.T) {
		f := open(t, &remote{data: data, perRead: 40 * time.Millisecond}) // the whole takes five seconds
		start := time.Now()
		if _, err := f.ReadAt(make([]byte, 4), int64(len(data))-4); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > 100*time.Millisecond {
			t.Fatalf("time to read the end of the file: got %v, want at most 100ms", took)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestFetchContinuesAfterANetworkFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &remote{data: noise(1 << 20), breakAfter: 100_000}
		f := open(t, r)
		r.down.Store(true)
		time.AfterFunc(time.Minute, func() { r.down.Store(false) })
		if _, err := f.ReadAt(make([]byte, 1), 900_000); err != nil {
			t.Fatal(err)
		}
		if n := r.fetches.Load(); n > 40 {
			t.Fatalf("connections in a minute: got %d, want at most 40, because retries back off", n)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestCloseUnblocksAReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, &remote{data: noise(1 << 20), perRead: time.Hour})
		time.AfterFunc(time.Second, f.cancel)
		if _, err := f.ReadAt(make([]byte, 1), 500_000); !errors.Is(err, context.Canceled) {
			t.Fatalf("read of a closed file: got %v, want %v", err, context.Canceled)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestFinalErrorEndsTheSpool(t *testing.T) {
	deleted := errors.New("deleted")
	calls := 0
	data := noise(1000)
	fetch := func(_ context.Context, off int64) (io.ReadCloser, int64, error) {
		if calls++; calls > 1 {
			return nil, 0, deleted
		}
		return io.NopCloser(bytes.NewReader(data[:500])), 1000, nil
	}
	f, err := Open(t.Context(), fetch, Options{Dir: t.TempDir(),
		Final: func(err error) bool { return errors.Is(err, deleted) }, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(make([]byte, 100), 100); err != nil {
		t.Fatalf("read of fetched bytes after a final error: got %v, want no error", err)
	}
	if _, err := f.ReadAt(make([]byte, 100), 600); !errors.Is(err, deleted) {
		t.Fatalf("read of missing bytes after a final error: got %v, want %v", err, deleted)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestRangesBehaveLikeASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ranges
		var bits [64]bool
		for range 20 {
			from := rapid.Int64Range(0, 63).Draw(t, "from")
			to := rapid.Int64Range(from+1, 64).Draw(t, "to")
			add := rapid.Bool().Draw(t, "add")
			if add {
				r.add(from, to)
			} else {
				r.remove(from, to)
			}
			for i := from; i < to; i++ {
				bits[i] = add
			}
		}
		for off := range int64(64) {
			want := off
			for want < 64 && bits[want] {
				want++
			}
			if got := r.missing(off); got != want {
				t.Fatalf("missing(%d) in %v: got %d, want %d", off, r, got, want)
			}
		}
		for i := 1; i < len(r); i++ {
			if r[i-1].to >= r[i].from {
				t.Fatalf("ranges: got %v, want no spans that touch", r)
			}
		}
	})
}
