package output

import (
	"testing"
	"testing/synctest"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/audio/output/streamtest"
)

func wantClock(t *testing.T, s audio.Stream, c audio.Clock) {
	t.Helper()
	synctest.Wait()
	if got := s.Clock(); got != c {
		t.Fatalf("clock: got %+v, want %+v", got, c)
	}
}

func TestClockedStreamPlaysInRealTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := streamtest.NewTape()
		p.End(2, 4410)
		var played []float32
		s := newClocked(p.Config(), func(b []float32) error { played = append(played, b...); return nil })
		defer s.Close()
		wantClock(t, s, audio.Clock{})
		s.Play()
		wantClock(t, s, audio.Clock{Running: true})
		time.Sleep(time.Second)
		wantClock(t, s, audio.Clock{Heard: 44100, Running: true})
		s.Pause()
		wantClock(t, s, audio.Clock{Heard: 44100})
		time.Sleep(time.Minute)
		s.Play()
		wantClock(t, s, audio.Clock{Heard: 44100, Running: true})
		time.Sleep(500 * time.Millisecond)
		s.Cut(2)
		wantClock(t, s, audio.Clock{Epoch: 2, Running: true})
		time.Sleep(50 * time.Millisecond)
		wantClock(t, s, audio.Clock{Epoch: 2, Heard: 2205, Running: true})
		for len(p.Notified) > 0 {
			<-p.Notified
		}
		time.Sleep(50*time.Millisecond + time.Microsecond)
		wantClock(t, s, audio.Clock{Epoch: 2, Heard: 4410})
		if len(p.Notified) == 0 {
			t.Fatal("Notify was not called at the end")
		}
		got := streamtest.Read(t, played)
		if len(got) != 2 || got[0].From != 0 || got[0].To != 66150 || got[1].Epoch != 2 || got[1].From != 0 ||
			got[1].To != 4410 {
			t.Fatalf("played frames: got %v, want 0 to 66150 of epoch 0, then 0 to 4410 of epoch 2", got)
		}
	})
}
