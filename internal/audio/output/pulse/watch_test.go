package pulse

import (
	"testing"
	"time"

	"waxwing/internal/audio/output/streamtest"
	"waxwing/internal/testenv"
)

// wait returns how long a watch waits if each of its checks is late by the given time.
func (w *watch) wait(now time.Time, late time.Duration) time.Duration {
	began := now
	w.begin(now)
	for now = w.next.Add(late); !w.check(now); {
		now = w.next.Add(late)
	}
	return now.Sub(began)
}

func TestWatchGivesABusyMachineMoreTime(t *testing.T) {
	now := time.Now()
	var w watch
	if took := w.wait(now, 0); took != stallTime || !w.stalled {
		t.Errorf("a silent server counts as stalled after %v, want %v", took, stallTime)
	}
	if w.begin(now); !w.next.IsZero() {
		t.Error("a stalled server is watched again")
	}
	w.heard()
	if w.stalled {
		t.Error("a server that sends messages counts as stalled")
	}
	if took := w.wait(now, checkEvery); took < 2*stallTime {
		t.Errorf("with late checks the server had only %v", took)
	}
	w.heard()
	w.begin(now)
	for i := range 100 { // a slow server that does send messages
		now = now.Add(checkEvery)
		if w.check(now) {
			t.Fatal("a slow server counts as stalled")
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
	quickest := time.Hour // on an overloaded machine the server has more time
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
		t.Error("the clock stopped too late")
	}
	if s.Err() != nil {
		t.Error(s.Err())
	}
}
