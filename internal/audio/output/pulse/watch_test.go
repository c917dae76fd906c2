package pulse

import (
	"testing"
	"time"

	"waxwing/internal/audio/output/streamtest"
	"waxwing/internal/testenv"
)

// wait is how long a watch waits that comes late to each of its looks by the given time.
func (w *watch) wait(now time.Time, late time.Duration) time.Duration {
	began := now
	w.begin(now)
	for now = w.next.Add(late); !w.check(now); {
		now = w.next.Add(late)
	}
	return now.Sub(began)
}

func TestWatch(t *testing.T) {
	now := time.Now()
	var w watch
	if took := w.wait(now, 0); took != stallTime || !w.stalled {
		t.Errorf("a silent server counts as stuck after %v, not %v", took, stallTime)
	}
	if w.begin(now); !w.next.IsZero() {
		t.Error("a server that is stuck already is watched again")
	}
	w.heard()
	if w.stalled {
		t.Error("a server that speaks is still stuck")
	}
	if took := w.wait(now, checkEvery); took < 2*stallTime {
		t.Errorf("looking late, it gave the server only %v", took)
	}
	w.heard()
	w.begin(now)
	for i := range 100 { // a slow server that does speak
		now = now.Add(checkEvery)
		if w.check(now) {
			t.Fatal("a slow server counts as stuck")
		}
		if i%5 == 4 {
			w.heard()
			w.begin(now)
		}
	}
}

func TestStalledServerStopsTheClockWithinASecond(t *testing.T) {
	p := testenv.StartPulse(t)
	tape := streamtest.NewTape()
	s := open(t, p, tape.Config())
	s.Play()
	streamtest.WaitFor(t, "it plays", func() bool { return s.Clock().Heard > rate/10 })
	quickest := time.Hour // on a machine without a processor to spare the server is given more time
	for range 3 {
		p.Freeze()
		start := time.Now()
		streamtest.WaitFor(t, "the clock stands", func() bool { return !s.Clock().Running })
		quickest = min(quickest, time.Since(start))
		stood := s.Clock().Heard
		p.Thaw()
		streamtest.WaitFor(t, "it plays on", func() bool { c := s.Clock(); return c.Running && c.Heard > stood+rate/10 })
	}
	if t.Logf("the clock stood after %v", quickest); quickest > time.Second {
		t.Error("that is too late")
	}
	if s.Err() != nil {
		t.Error(s.Err())
	}
}
