package streamtest

import (
	"testing"
	"time"

	"waxwing/internal/audio"
)

// Rig is a device under test.
type Rig struct {
	Open func(t *testing.T, cfg audio.StreamConfig) audio.Stream
	// Heard returns a recording of what the stream opened last has played so far; nil if there is
	// none.
	Heard func(t *testing.T) []float32
}

// Verify checks every guarantee of audio.Stream on a device.
func Verify(t *testing.T, rig Rig) {
	for _, c := range []struct {
		name  string
		check func(t *testing.T, rig Rig)
	}{
		{"a new stream is silent and stands at 0", fresh},
		{"a pause keeps every sample", pauses},
		{"a cut drops the old and keeps all of the new", cuts},
		{"a cut while paused stays paused", cutPaused},
		{"a cut waits for late samples", cutLate},
		{"a short clip is heard to its end", clip},
		{"a dry stream says so and goes on", dry},
		{"nothing is called back after Close", closes},
	} {
		t.Run(c.name, func(t *testing.T) { c.check(t, rig) })
	}
}

const tenth = Rate / 10

func open(t *testing.T, rig Rig, p *Tape) audio.Stream {
	t.Helper()
	s := rig.Open(t, p.Config())
	t.Cleanup(s.Close)
	return s
}

// waitHeard waits until n frames of an epoch are heard, and checks the clock meanwhile.
func waitHeard(t *testing.T, s audio.Stream, p *Tape, epoch uint64, frames int64) {
	t.Helper()
	var furthest int64
	WaitFor(t, "enough is heard", func() bool {
		c := s.Clock()
		switch pulled := p.Pulled(epoch); {
		case s.Err() != nil:
			t.Fatal(s.Err())
		case c.Epoch != epoch:
			t.Fatalf("the clock is at epoch %d, want %d", c.Epoch, epoch)
		case c.Heard > pulled:
			t.Fatalf("%d frames heard, %d pulled", c.Heard, pulled)
		case c.Heard < furthest:
			t.Fatalf("the clock went back from %d to %d", furthest, c.Heard)
		default:
			furthest = c.Heard
		}
		return furthest >= frames
	})
}

// waitStopped waits until the clock has not moved for a tenth of a second: a device may report late
// where it stopped.
func waitStopped(t *testing.T, s audio.Stream) int64 {
	t.Helper()
	last, since := s.Clock(), time.Now()
	WaitFor(t, "the clock stands", func() bool {
		if c := s.Clock(); c != last || c.Running {
			last, since = c, time.Now()
		}
		return time.Since(since) > 100*time.Millisecond
	})
	return last.Heard
}

// wantRecording checks the recording apart from silence: exactly the given spans, complete from
// their first frame. It waits a short time for the last span to reach the clock's position, because
// the device of a busy machine lags behind its clock.
func wantRecording(t *testing.T, rig Rig, want ...Span) {
	t.Helper()
	if rig.Heard == nil {
		return
	}
	var got []Span
	end := want[len(want)-1].To
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		got = WithoutSilence(Read(t, rig.Heard(t)))
		if len(got) == len(want) && got[len(got)-1].To >= end {
			break
		}
	}
	if len(got) != len(want) {
		t.Fatalf("heard %v, want %v", got, want)
	}
	for i, w := range want {
		if g := got[i]; g.Epoch != w.Epoch || g.From != 0 || g.To < tenth/4 {
			t.Fatalf("heard %v, want %v", got, want)
		}
	}
}

func fresh(t *testing.T, rig Rig) {
	p := NewTape()
	s := open(t, rig, p)
	if c := s.Clock(); c != (audio.Clock{}) || s.Err() != nil {
		t.Fatalf("the clock is %+v, the error %v", c, s.Err())
	}
	if waitStopped(t, s) != 0 {
		t.Fatal("frames were played before Play")
	}
}

func pauses(t *testing.T, rig Rig) {
	p := NewTape()
	s := open(t, rig, p)
	for i := range int64(4) {
		s.Play()
		waitHeard(t, s, p, 0, (i+1)*tenth)
		s.Pause()
		waitStopped(t, s)
	}
	s.Play()
	waitHeard(t, s, p, 0, 5*tenth)
	s.Pause()
	wantRecording(t, rig, Span{To: waitStopped(t, s)})
}

func cuts(t *testing.T, rig Rig) {
	p := NewTape()
	s := open(t, rig, p)
	s.Play()
	want := []Span{}
	for e := range uint64(4) {
		if e > 0 {
			s.Cut(e)
		}
		waitHeard(t, s, p, e, tenth)
		want = append(want, Span{Epoch: e, To: tenth})
	}
	s.Pause()
	want[3].To = waitStopped(t, s)
	wantRecording(t, rig, want...)
}

func cutPaused(t *testing.T, rig Rig) {
	p := NewTape()
	s := open(t, rig, p)
	s.Play()
	waitHeard(t, s, p, 0, tenth)
	s.Pause()
	first := waitStopped(t, s)
	s.Cut(7)
	if at := waitStopped(t, s); at != 0 || s.Clock().Epoch != 7 {
		t.Fatalf("the clock is %+v after the cut", s.Clock())
	}
	s.Play()
	waitHeard(t, s, p, 7, tenth)
	s.Pause()
	wantRecording(t, rig, Span{To: first}, Span{Epoch: 7, To: waitStopped(t, s)})
}

func cutLate(t *testing.T, rig Rig) {
	for _, delay := range []time.Duration{5 * time.Millisecond, 100 * time.Millisecond} {
		p := NewTape()
		p.Ready(1, 0)
		s := rig.Open(t, p.Config())
		s.Play()
		waitHeard(t, s, p, 0, tenth)
		s.Cut(1)
		time.Sleep(delay)
		p.Ready(1, 1<<40)
		s.Wake()
		waitHeard(t, s, p, 1, tenth)
		s.Pause()
		wantRecording(t, rig, Span{To: tenth}, Span{Epoch: 1, To: waitStopped(t, s)})
		s.Close()
	}
}

func clip(t *testing.T, rig Rig) {
	p := NewTape()
	s := open(t, rig, p)
	s.Play()
	want := []Span{}
	for e, frames := range []int64{50 * Rate / 1000, 5 * Rate / 1000, 30001} {
		epoch := uint64(e + 1)
		p.End(epoch, frames)
		s.Cut(epoch)
		waitHeard(t, s, p, epoch, frames)
		if at := waitStopped(t, s); at != frames {
			t.Fatalf("the clock ends at %d of %d", at, frames)
		}
		want = append(want, Span{Epoch: epoch, To: frames})
	}
	select {
	case <-p.Notified:
	default:
		t.Fatal("the end was not notified")
	}
	if rig.Heard == nil {
		return
	}
	WaitFor(t, "the clips are heard", func() bool {
		got := WithoutSilence(Read(t, rig.Heard(t)))
		for len(got) > 0 && got[0].Epoch == 0 { // what was played before the first cut
			got = got[1:]
		}
		if len(got) != len(want) {
			return false
		}
		for i := range want {
			if got[i].From != 0 || got[i].To != want[i].To {
				return false
			}
		}
		return true
	})
}

func dry(t *testing.T, rig Rig) {
	p := NewTape()
	p.Ready(0, 2*tenth)
	s := open(t, rig, p)
	s.Play()
	waitHeard(t, s, p, 0, tenth)
	if at := waitStopped(t, s); at > 2*tenth || at < 3*tenth/2 { // a device may keep a rest that does not fill its period
		t.Fatalf("underrun at %d, want %d", at, 2*tenth)
	}
	calls := p.Calls()
	time.Sleep(50 * time.Millisecond)
	if n := p.Calls() - calls; n > 0 {
		t.Fatalf("a starved stream called Pull %d times", n)
	}
	for len(p.Notified) > 0 {
		<-p.Notified
	}
	p.Ready(0, 1<<40)
	s.Wake()
	select {
	case <-p.Notified:
	case <-time.After(5 * time.Second):
		t.Fatal("the end of the underrun was not notified")
	}
	waitHeard(t, s, p, 0, 4*tenth)
	s.Pause()
	wantRecording(t, rig, Span{To: waitStopped(t, s)})
}

func closes(t *testing.T, rig Rig) {
	p := NewTape()
	s := open(t, rig, p)
	s.Play()
	waitHeard(t, s, p, 0, tenth)
	s.Close()
	calls := p.Calls()
	s.Play()
	s.Cut(1)
	s.Wake()
	s.SetVolume(0.5)
	s.Pause()
	time.Sleep(50 * time.Millisecond)
	if n := p.Calls() - calls; n > 0 {
		t.Fatalf("%d callbacks after Close, want 0", n)
	}
	s.Close()
}
