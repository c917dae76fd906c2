package output

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"waxwing/internal/audio"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tape gives frames that name themselves: left the number of the frame, right the epoch.
type tape struct {
	length, ready, pulled map[uint64]int64
	notes                 atomic.Int64
}

func newTape() *tape {
	return &tape{length: map[uint64]int64{}, ready: map[uint64]int64{}, pulled: map[uint64]int64{}}
}

func (p *tape) pull(epoch uint64, dst []float32) (n int, last bool) {
	from := p.pulled[epoch]
	to := from + int64(len(dst)/2)
	if end, ok := p.length[epoch]; ok && to >= end {
		to, last = end, true
	}
	if end, ok := p.ready[epoch]; ok && to > end {
		to, last = end, false
	}
	for f := from; f < to; f++ {
		dst[2*(f-from)], dst[2*(f-from)+1] = float32(f), float32(epoch)
	}
	p.pulled[epoch] = to
	return int(to - from), last
}

func (p *tape) config() audio.StreamConfig {
	return audio.StreamConfig{Rate: 44100, Volume: 1, Pull: p.pull, Notify: func() { p.notes.Add(1) }}
}

func want(t *testing.T, s audio.Stream, c audio.Clock) {
	t.Helper()
	synctest.Wait()
	if got := s.Clock(); got != c {
		t.Fatalf("clock is %+v, want %+v", got, c)
	}
}

func TestClockedKeepsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTape()
		p.length[2] = 4410
		var heard []float32
		s := newClocked(p.config(), func(b []float32) error { heard = append(heard, b...); return nil })
		defer s.Close()
		want(t, s, audio.Clock{})
		s.Play()
		want(t, s, audio.Clock{Running: true})
		time.Sleep(time.Second)
		want(t, s, audio.Clock{Heard: 44100, Running: true})
		s.Pause()
		want(t, s, audio.Clock{Heard: 44100})
		time.Sleep(time.Minute)
		s.Play()
		want(t, s, audio.Clock{Heard: 44100, Running: true})
		time.Sleep(500 * time.Millisecond)
		s.Cut(2)
		want(t, s, audio.Clock{Epoch: 2, Running: true})
		time.Sleep(50 * time.Millisecond)
		want(t, s, audio.Clock{Epoch: 2, Heard: 2205, Running: true})
		p.notes.Store(0)
		time.Sleep(50*time.Millisecond + time.Microsecond)
		want(t, s, audio.Clock{Epoch: 2, Heard: 4410})
		if p.notes.Load() != 1 {
			t.Fatalf("the end was told %d times", p.notes.Load())
		}
		if len(heard) != 2*(66150+4410) {
			t.Fatalf("%d frames heard, want %d", len(heard)/2, 66150+4410)
		}
		for i := range len(heard) / 2 {
			f, e := i, 0
			if i >= 66150 {
				f, e = i-66150, 2
			}
			if heard[2*i] != float32(f) || heard[2*i+1] != float32(e) {
				t.Fatalf("frame %d is %v of epoch %v", i, heard[2*i], heard[2*i+1])
			}
		}
	})
}
