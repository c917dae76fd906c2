package pulse

import (
	"math/rand/v2"
	"testing"
	"time"

	"waxwing/internal/audio/output/streamtest"
	"waxwing/internal/proof"
)

func frames(n int64) time.Duration { return time.Duration(n) * time.Second / rate }

// measure prints the percentiles of what several tries took and fails when the median is over the limit.
func measure(t *testing.T, what string, took []time.Duration, limit time.Duration) {
	t.Helper()
	p50, p95 := streamtest.Percentile(took, 50), streamtest.Percentile(took, 95)
	t.Logf("%s: p50 %.1f ms, p95 %.1f ms, %d tries", what, p50.Seconds()*1e3, p95.Seconds()*1e3, len(took))
	if p50 > limit {
		t.Errorf("%s takes %v at the median, want %v", what, p50, limit)
	}
}

// The time of a command is the frame that is heard when it is given, as the clock tells it; that the clock is right
// is shown by where the sound stops, which is independent of it.
func TestPauseAndCutAreFast(t *testing.T) {
	p := proof.StartPulse(t)
	rec := p.Record()
	tape := streamtest.NewTape()
	s := open(t, p, tape.Config())
	s.Play()
	var asked []int64
	const cuts = 30
	for e := range uint64(cuts + 1) {
		if e > 0 {
			asked = append(asked, s.Clock().Heard)
			s.Cut(e)
		}
		some := rate/20 + rand.Int64N(rate/50) // anywhere in the device's block
		streamtest.Until(t, "it plays", func() bool { return s.Clock().Heard > some })
	}
	streamtest.Until(t, "it plays", func() bool { return s.Clock().Heard > rate/10 })
	var stopped []int64
	const pauses = 15
	for range pauses {
		at := s.Clock().Heard
		s.Pause()
		stopped = append(stopped, at)
		streamtest.Until(t, "it stands", func() bool { return !s.Clock().Running })
		rec.Wait(rec.Len() + rate/20)
		s.Play()
		some := at + rate/20 + rand.Int64N(rate/50)
		streamtest.Until(t, "it plays", func() bool { return s.Clock().Heard > some })
	}
	rec.Wait(rec.Len() + rate/10)

	var cut, pause []time.Duration
	list := streamtest.Read(t, rec.Stop())
	for i, h := range list {
		if h.Silence || i+1 == len(list) {
			continue
		}
		next := list[i+1]
		switch {
		case h.Epoch < cuts:
			gap := int64(0)
			if next.Silence {
				gap, next = next.To, list[i+2]
			}
			if next.Epoch != h.Epoch+1 || next.From != 0 {
				t.Fatalf("after epoch %d comes %v", h.Epoch, next)
			}
			cut = append(cut, frames(h.To+gap-asked[h.Epoch]))
		case next.Silence && len(pause) < pauses:
			pause = append(pause, frames(h.To-stopped[len(pause)]))
		}
	}
	if len(cut) != cuts || len(pause) != pauses {
		t.Fatalf("%d cuts and %d pauses in the recording, want %d and %d", len(cut), len(pause), cuts, pauses)
	}
	measure(t, "cut to first new sample", cut, 10*time.Millisecond)
	measure(t, "pause to silence", pause, 10*time.Millisecond)
}
