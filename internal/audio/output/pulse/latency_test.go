package pulse

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"waxwing/internal/audio/output/streamtest"
	"waxwing/internal/testenv"
)

func frames(n int64) time.Duration { return time.Duration(n) * time.Second / rate }

// measure logs percentiles and fails if the median exceeds the limit.
func measure(t *testing.T, what string, took []time.Duration, limit time.Duration) {
	t.Helper()
	p50, p95 := streamtest.Percentile(took, 50), streamtest.Percentile(took, 95)
	t.Logf("%s: p50 %.1f ms, p95 %.1f ms, %d tries", what, p50.Seconds()*1e3, p95.Seconds()*1e3, len(took))
	if p50 > limit {
		t.Errorf("%s: got a median of %v, want at most %v", what, p50, limit)
	}
}

// The time of a command is the frame that the clock reports when the command is sent; the end of
// the recording verifies the clock independently. A busy machine leaves gaps in the recording and
// cannot measure latency, so the recording is repeated a few times.
func TestPauseAndCutAreFast(t *testing.T) {
	p := testenv.StartPulse(t)
	const limit = 10 * time.Millisecond
	for attempt := 1; ; attempt++ {
		cut, pause, err := cutsAndPauses(t, p)
		slow := err == nil && max(streamtest.Percentile(cut, 50), streamtest.Percentile(pause, 50)) > limit
		if attempt < 5 && (err != nil || slow) {
			t.Logf("attempt %d: too slow: %v, error: %v", attempt, slow, err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		measure(t, "cut to first new sample", cut, limit)
		measure(t, "pause to silence", pause, limit)
		return
	}
}

// cutsAndPauses makes one recording and returns how long each cut and each pause took to be
// audible.
func cutsAndPauses(t *testing.T, p *testenv.Pulse) (cut, pause []time.Duration, err error) {
	t.Helper()
	rec := p.Record()
	tape := streamtest.NewTape()
	s := open(t, p, tape.Config())
	defer s.Close()
	s.Play()
	var cutAt []int64
	const cuts = 30
	for e := range uint64(cuts + 1) {
		if e > 0 {
			cutAt = append(cutAt, s.Clock().Heard)
			s.Cut(e)
		}
		target := rate/20 + rand.Int64N(rate/50) // at a random point of the device's block
		streamtest.WaitFor(t, "playback", func() bool { return s.Clock().Heard > target })
	}
	streamtest.WaitFor(t, "playback", func() bool { return s.Clock().Heard > rate/10 })
	var pausedAt []int64
	for range 15 {
		at := s.Clock().Heard
		s.Pause()
		pausedAt = append(pausedAt, at)
		streamtest.WaitFor(t, "recorded silence", func() bool { return silent(rec.Last(rate / 20)) })
		s.Play()
		target := at + rate/20 + rand.Int64N(rate/50)
		streamtest.WaitFor(t, "playback", func() bool { return s.Clock().Heard > target && !silent(rec.Last(1)) })
	}
	rec.Wait(rec.Len() + rate/10)

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
				return nil, nil, fmt.Errorf("span after epoch %d: got %v, want the start of epoch %d", h.Epoch, next, h.Epoch+1)
			}
			cut = append(cut, frames(h.To+gap-cutAt[h.Epoch]))
		case next.Silence && len(pause) < len(pausedAt):
			pause = append(pause, frames(h.To-pausedAt[len(pause)]))
		case next.Silence:
			return nil, nil, fmt.Errorf("silences: got more than %d, want one for each pause", len(pausedAt))
		}
	}
	if len(cut) != cuts || len(pause) != len(pausedAt) {
		t.Fatalf("recording: got %d cuts and %d pauses, want %d and %d", len(cut), len(pause), cuts, len(pausedAt))
	}
	return cut, pause, nil
}

// silent reports whether all samples are 0.
func silent(samples []float32) bool {
	return !slices.ContainsFunc(samples, func(v float32) bool { return v != 0 })
}
