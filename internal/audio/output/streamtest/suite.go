package streamtest

import (
	"testing"
	"time"

	"waxwing/internal/audio"
)

// Rig is a device under test.
type Rig struct {
	Open func(t *testing.T, cfg audio.StreamConfig) audio.Stream
	// Recording returns the samples that the last opened stream has played so far; nil if the device
	// cannot record.
	Recording func(t *testing.T) []float32
}

// Verify checks every guarantee of audio.Stream on a device.
func Verify(t *testing.T, rig Rig) {
	for _, c := range []struct {
		name  string
		check func(t *testing.T, rig Rig)
	}{
		{"a new stream is silent at position 0", newStream},
		{"a pause keeps every sample", pauses},
		{"a cut discards the old epoch and keeps all of the new one", cuts},
		{"a paused stream is still paused after a cut", cutPaused},
		{"a cut waits for late samples", cutLate},
		{"a short clip plays to its end", clip},
		{"an underrun is reported and playback continues", underrun},
		{"there are no callbacks after Close", closes},
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

// waitPlayed waits until the frames of an epoch are played, and checks the clock meanwhile.
func waitPlayed(t *testing.T, s audio.Stream, p *Tape, epoch uint64, frames int64) {
	t.Helper()
	var furthest int64
	WaitFor(t, "enough played frames", func() bool {
		c := s.Clock()
		switch pulled := p.Pulled(epoch); {
		case s.Err() != nil:
			t.Fatal(s.Err())
		case c.Epoch != epoch:
			t.Fatalf("epoch of the clock: got %d, want %d", c.Epoch, epoch)
		case c.Heard > pulled:
			t.Fatalf("played frames: got %d, want at most the %d pulled", c.Heard, pulled)
		case c.Heard < furthest:
			t.Fatalf("the clock moved backwards: got %d, want at least %d", c.Heard, furthest)
		default:
			furthest = c.Heard
		}
		return furthest >= frames
	})
}

// waitStopped waits until the clock has not moved for a tenth of a second, and returns its
// position. A device may report late where it stopped.
func waitStopped(t *testing.T, s audio.Stream) int64 {
	t.Helper()
	last, since := s.Clock(), time.Now()
	WaitFor(t, "the clock to stop", func() bool {
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
	if rig.Recording == nil {
		return
	}
	var got []Span
	end := want[len(want)-1].To
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		got = WithoutSilence(Read(t, rig.Recording(t)))
		if len(got) == len(want) && got[len(got)-1].To >= end {
			break
		}
	}
	if len(got) != len(want) {
		t.Fatalf("recording: got %v, want %v", got, want)
	}
	for i, w := range want {
		if g := got[i]; g.Epoch != w.Epoch || g.From != 0 || g.To < tenth/4 {
			t.Fatalf("recording: got %v, want %v", got, want)
		}
	}
}

func newStream(t *testing.T, rig Rig) {
	p := NewTape()
	s := open(t, rig, p)
	if c := s.Clock(); c != (audio.Clock{}) || s.Err() != nil {
		t.Fatalf("new stream: got clock %+v, error %v; want neither", c, s.Err())
	}
	if at := waitStopped(t, s); at != 0 {
		t.Fatalf("frames played before Play: got %d, want 0", at)
	}
}

func pauses(t *testing.T, rig Rig) {
	p := NewTape()
	s := open(t, rig, p)
	for i := range int64(4) {
		s.Play()
		waitPlayed(t, s, p, 0, (i+1)*tenth)
		s.Pause()
		waitStopped(t, s)
	}
	s.Play()
	waitPlayed(t, s, p, 0, 5*tenth)
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
		waitPlayed(t, s, p, e, tenth)
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
	waitPlayed(t, s, p, 0, tenth)
	s.Pause()
	first := waitStopped(t, s)
	s.Cut(7)
	if at := waitStopped(t, s); at != 0 || s.Clock().Epoch != 7 {
		t.Fatalf("clock after the cut: got %+v, want position 0 of epoch 7", s.Clock())
	}
	s.Play()
	waitPlayed(t, s, p, 7, tenth)
	s.Pause()
	wantRecording(t, rig, Span{To: first}, Span{Epoch: 7, To: waitStopped(t, s)})
}

func cutLate(t *testing.T, rig Rig) {
	for _, delay := range []time.Duration{5 * time.Millisecond, 100 * time.Millisecond} {
		p := NewTape()
		p.Ready(1, 0)
		s := rig.Open(t, p.Config())
		s.Play()
		waitPlayed(t, s, p, 0, tenth)
		s.Cut(1)
		time.Sleep(delay)
		p.Ready(1, 1<<40)
		s.Wake()
		waitPlayed(t, s, p, 1, tenth)
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
		waitPlayed(t, s, p, epoch, frames)
		if at := waitStopped(t, s); at != frames {
			t.Fatalf("position at the end: got %d, want %d", at, frames)
		}
		want = append(want, Span{Epoch: epoch, To: frames})
	}
	select {
	case <-p.Notified:
	default:
		t.Fatal("Notify was not called at the end")
	}
	if rig.Recording == nil {
		return
	}
	WaitFor(t, "the clips in the recording", func() bool {
		got := WithoutSilence(Read(t, rig.Recording(t)))
		for len(got) > 0 && got[0].Epoch == 0 { // frames before the first cut
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

func underrun(t *testing.T, rig Rig) {
	p := NewTape()
	p.Ready(0, 2*tenth)
	s := open(t, rig, p)
	s.Play()
	waitPlayed(t, s, p, 0, tenth)
	// A device may keep a remainder that does not fill its period.
	if at := waitStopped(t, s); at > 2*tenth || at < 3*tenth/2 {
		t.Fatalf("position at the underrun: got %d, want %d", at, 2*tenth)
	}
	calls := p.Calls()
	time.Sleep(50 * time.Millisecond)
	if n := p.Calls() - calls; n > 0 {
		t.Fatalf("calls of Pull during an underrun: got %d, want 0", n)
	}
	for len(p.Notified) > 0 {
		<-p.Notified
	}
	p.Ready(0, 1<<40)
	s.Wake()
	select {
	case <-p.Notified:
	case <-time.After(5 * time.Second):
		t.Fatal("Notify was not called within 5s after the end of the underrun")
	}
	waitPlayed(t, s, p, 0, 4*tenth)
	s.Pause()
	wantRecording(t, rig, Span{To: waitStopped(t, s)})
}

func closes(t *testing.T, rig Rig) {
	p := NewTape()
	s := open(t, rig, p)
	s.Play()
	waitPlayed(t, s, p, 0, tenth)
	s.Close()
	calls := p.Calls()
	s.Play()
	s.Cut(1)
	s.Wake()
	s.SetVolume(0.5)
	s.Pause()
	time.Sleep(50 * time.Millisecond)
	if n := p.Calls() - calls; n > 0 {
		t.Fatalf("callbacks after Close: got %d, want 0", n)
	}
	s.Close()
}
