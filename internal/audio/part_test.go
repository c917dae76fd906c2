package audio_test

import (
	"errors"
	"io"
	"testing"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/audio/audiotest"
)

func TestPartYieldsExactlyItsFrames(t *testing.T) {
	const rate = 1000
	for _, test := range []struct {
		from, to     time.Duration
		first, count int64
	}{
		{0, 0, 0, 10_000}, {2 * time.Second, 0, 2000, 8000}, {0, 1500 * time.Millisecond, 0, 1500},
		{2 * time.Second, 5 * time.Second, 2000, 3000}, {9 * time.Second, 20 * time.Second, 9000, 1000},
		{10 * time.Second, 0, 10_000, 0}, {30 * time.Second, 0, 10_000, 0}, {3 * time.Second, 3 * time.Second, 3000, 0},
	} {
		src, err := audio.Part(&audiotest.Tone{ID: 3, Rate: rate, Frames: 10 * rate}, test.from, test.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := src.Info().Frames; got != test.count {
			t.Errorf("%v to %v: got %d frames, want %d", test.from, test.to, got, test.count)
		}
		for _, start := range []int64{0, test.count / 2, test.count} {
			if err := src.SeekTo(start); err != nil {
				t.Fatal(err)
			}
			read := start
			dst := make([]float32, 2*700)
			for {
				n, err := src.Read(dst)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil || n == 0 {
					t.Fatalf("read: got %d, %v", n, err)
				}
				if want := audiotest.Sample(3, test.first+read); dst[0] != want {
					t.Errorf("%v to %v: frame %d: got %v, want %v", test.from, test.to, read, dst[0], want)
				}
				read += int64(n)
			}
			if read != test.count {
				t.Errorf("%v to %v: read up to frame %d, want %d", test.from, test.to, read, test.count)
			}
		}
		if src.SeekTo(test.count+1) == nil || src.SeekTo(-1) == nil {
			t.Errorf("%v to %v: seek outside: got no error, want one", test.from, test.to)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
}
