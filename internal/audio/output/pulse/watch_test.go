package pulse

import (
	"testing"
	"time"

	"waxwing/internal/audio/output/streamtest"
	"waxwing/internal/testenv"
)

// wait returns how long a watch waits if each of its checks is late by the given time.
func (w *watch) wait(now time.Time, late time.Duration) time.Duration {
	start := now
	w.begin(now)
	for now = w.next.Add(late); !w.check(now); {
		now = w.next.Add(late)
	}
	return now.Sub(start)
}

func TestWatchGivesABusyMachineMoreTime(t *testing.T) {
	now := time.Now()
	var w watch
	if took := w.wait(now, 0); took != stallTime || !w.stalled {
		t.Errorf("silent server: got stalled %v after %v, want true after %v", w.stalled, took, stallTime)
	}
	if w.begin(now); !w.next.IsZero() {
		t.Errorf("next check of a stalled server: got %v, want none", w.next)
	}
	w.received()
	if w.stalled {
		t.Error("stalled after a message of the server: got true, want false")
	}
	if took := w.wait(now, checkEvery); took < 2*stallTime {
		t.Errorf("time of a server with late checks: got %v, want at least %v", took, 2*stallTime)
	}
	w.received()
	w.begin(now)
	for i := range 100 { // a slow server that does send messages
		now = now.Add(checkEvery)
		if w.check(now) {
			t.Fatalf("stalled after check %d of a slow server: got true, want false", i)
		}
		if i%5 == 4 {
			w.received()
			w.begin(now)
		}
	}
}

func TestStalledServerStopsTheClockWithinASecond(t *testing.T) {
	p := testenv.StartPulse(t)
	tape := streamtest.NewTape()
	s := open(t, p, tape.Config())
	s.Play()
	streamtest.WaitFor(t, "playback", func() bool { return s.Clock().Heard > rate/10 })
	fastest := time.Hour // on an overloaded machine the server is given more time
	for range 3 {
		p.Freeze()
		start := time.Now()
		streamtest.WaitFor(t, "the clock to stop", func() bool { return !s.Clock().Running })
		fastest = min(fastest, time.Since(start))
		before := s.Clock().Heard
		p.Thaw()
		streamtest.WaitFor(t, "playback to continue", func() bool {
			c := s.Clock()
			return c.Running && c.Heard > before+rate/10
		})
	}
	if t.Logf("the clock stopped after %v", fastest); fastest > time.Second {
		t.Errorf("time until the clock stopped: got %v, want at most 1s", fastest)
	}
	if s.Err() != nil {
		t.Error(s.Err())
	}
}
