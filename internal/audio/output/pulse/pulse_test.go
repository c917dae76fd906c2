package pulse

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"waxwing/internal/audio"
	"waxwing/internal/proof"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const rate = 44100

// tape is a player whose frames name themselves: the left sample is the frame's number
// in its epoch, the right one the epoch. The server passes floats unchanged, so any frame
// of a recording tells which it is.
type tape struct {
	mu     sync.Mutex
	length map[uint64]int64 // frames of an epoch, endless when absent
	ready  map[uint64]int64 // frames at hand so far, all when absent
	pulled map[uint64]int64
	notes  chan struct{}
}

func newTape() *tape {
	return &tape{length: map[uint64]int64{}, ready: map[uint64]int64{}, pulled: map[uint64]int64{}, notes: make(chan struct{}, 1)}
}

func left(frame int64) float32   { return float32(frame+1) / (1 << 23) }
func right(epoch uint64) float32 { return float32(epoch+1) / (1 << 10) }

func (p *tape) pull(epoch uint64, dst []float32) (n int, last bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	from := p.pulled[epoch]
	to := from + int64(len(dst)/2)
	if end, ok := p.length[epoch]; ok && to >= end {
		to, last = end, true
	}
	if end, ok := p.ready[epoch]; ok && to > end {
		to, last = end, false
	}
	for f := from; f < to; f++ {
		dst[2*(f-from)], dst[2*(f-from)+1] = left(f), right(epoch)
	}
	p.pulled[epoch] = to
	return int(to - from), last
}

func (p *tape) notify() {
	select {
	case p.notes <- struct{}{}:
	default:
	}
}

func (p *tape) set(m map[uint64]int64, epoch uint64, frames int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m[epoch] = frames
}

// heard is one stretch of the recording: frames of one epoch in a row, or silence.
type heard struct {
	epoch    uint64
	silence  bool
	from, to int64 // frames of the epoch
	at       int   // place in the recording
}

// stretches splits a recording into what it is made of.
func stretches(t *testing.T, rec []float32) []heard {
	t.Helper()
	var out []heard
	for i := 0; i+1 < len(rec); i += 2 {
		h := heard{silence: rec[i] == 0 && rec[i+1] == 0, at: i / 2}
		if !h.silence {
			h.from = int64(math.Round(float64(rec[i])*(1<<23))) - 1
			h.epoch = uint64(math.Round(float64(rec[i+1])*(1<<10))) - 1
			if left(h.from) != rec[i] || right(h.epoch) != rec[i+1] {
				t.Fatalf("frame %d of the recording is not one we sent: %v %v", i/2, rec[i], rec[i+1])
			}
		}
		h.to = h.from + 1
		if n := len(out); n > 0 && out[n-1].silence == h.silence && out[n-1].epoch == h.epoch && (h.silence || out[n-1].to == h.from) {
			out[n-1].to++
			continue
		}
		out = append(out, h)
	}
	for i := range out {
		if out[i].silence {
			out[i].to = out[i].from + out[i].to
		}
	}
	return out
}

func (h heard) frames() int64 { return h.to - h.from }

// sounds leaves silence out.
func sounds(list []heard) []heard {
	return slices.DeleteFunc(slices.Clone(list), func(h heard) bool { return h.silence })
}

func open(t *testing.T, p *proof.Pulse, tp *tape, volume float64) audio.Stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	s, err := Output{Server: p.Server}.Open(ctx, audio.StreamConfig{Rate: rate, Volume: volume, Pull: tp.pull, Notify: tp.notify})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// until waits for a condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestPauseAndResumeLoseNothing(t *testing.T) {
	p := proof.StartPulse(t)
	tp := newTape()
	s := open(t, p, tp, 1)
	rec := p.Record()
	s.Play()
	for i := range 5 {
		until(t, "it plays", func() bool { return s.Clock().Heard > int64(i+1)*rate/3 })
		before := s.Clock()
		s.Pause()
		until(t, "it stands", func() bool { return !s.Clock().Running })
		rec.Wait(rec.Len() + rate/5)
		after := s.Clock()
		t.Logf("clock %d before pause, %d after", before.Heard, after.Heard)
		s.Play()
	}
	rec.Wait(rec.Len() + rate/2)
	got := stretches(t, rec.Stop())
	for _, h := range got {
		t.Logf("%+v", h)
	}
}
