package spool

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The disk fails from the start, and in the middle of a track.
func TestTrackIsBufferedInMemoryWhenTheDiskFails(t *testing.T) {
	data := noise(1 << 20)
	for _, failsAt := range []int{0, 300_001} {
		var log strings.Builder
		dir := filepath.Join(t.TempDir(), "spool")
		if failsAt > 0 {
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		b := newBuffer(dir, slog.New(slog.NewTextHandler(&log, nil)))
		for at := 0; at < len(data); at += 33_333 {
			if failsAt > 0 && at > failsAt && b.file != nil && log.Len() == 0 {
				copied := filepath.Join(t.TempDir(), "copied")
				if err := os.WriteFile(copied, data[:at], 0o600); err != nil {
					t.Fatal(err)
				}
				readOnly, err := os.Open(copied) // each write fails
				if err != nil {
					t.Fatal(err)
				}
				_ = b.file.Close() // replaced by readOnly
				b.file = readOnly
			}
			for rest := data[at:min(at+33_333, len(data))]; len(rest) > 0; {
				off := int64(min(at+33_333, len(data)) - len(rest))
				part := rest[:min(int64(len(rest)), block-off%block)]
				if err := b.write(part, off); err != nil {
					t.Fatal(err)
				}
				rest = rest[len(part):]
			}
		}
		rnd := rand.New(rand.NewPCG(1, 1))
		for range 500 {
			from := rnd.IntN(len(data))
			got := make([]byte, rnd.IntN(min(200_000, len(data)-from))+1)
			n, err := 0, error(nil)
			for n < len(got) && err == nil {
				var k int
				k, err = b.read(got[n:], int64(from+n))
				n += k
			}
			if err != nil || !bytes.Equal(got, data[from:from+n]) {
				t.Fatalf("disk failing at %d: read at %d: got %d bytes, error %v; want %d bytes of the data",
					failsAt, from, n, err, len(got))
			}
		}
		if n := strings.Count(log.String(), "\n"); n != 1 {
			t.Errorf("disk failing at %d: got %d log lines, want 1: %s", failsAt, n, log.String())
		}
		if err := b.close(); err != nil {
			t.Error(err)
		}
	}
}

// stalling sends its data and then nothing, like a host that vanished.
type stalling struct {
	io.Reader
	ctx context.Context
}

func (s stalling) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err == io.EOF {
		<-s.ctx.Done()
		return 0, s.ctx.Err()
	}
	return n, err
}
func (s stalling) Close() error { return nil }

func TestStalledConnectionIsReopened(t *testing.T) {
	data := noise(500_000)
	synctest.Test(t, func(t *testing.T) {
		fetches := 0
		f, err := Open(t.Context(), func(ctx context.Context, off int64) (io.ReadCloser, int64, error) {
			fetches++
			if fetches == 3 { // no response
				<-ctx.Done()
				return nil, 0, ctx.Err()
			}
			return stalling{io.LimitReader(bytes.NewReader(data[off:]), 200_000), ctx}, int64(len(data)), nil
		}, Options{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		start, got := time.Now(), make([]byte, len(data))
		if _, err := f.ReadAt(got, 0); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("read over stalled connections: got error %v, want the data", err)
		}
		if took := time.Since(start); took < 3*stallAfter || took > 3*stallAfter+time.Second {
			t.Errorf("time with three stalls: got %v, want %v", took, 3*stallAfter)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
}
