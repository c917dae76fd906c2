package output

import (
	"testing"
	"testing/synctest"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/audio/output/streamtest"
)

func want(t *testing.T, s audio.Stream, c audio.Clock) {
	t.Helper()
	synctest.Wait()
	if got := s.Clock(); got != c {
		t.Fatalf("clock is %+v, want %+v", got, c)
	}
}

func TestClockedStreamPlaysInRealTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := streamtest.NewTape()
		p.End(2, 4410)
		var heard []float32
		s := newClocked(p.Config(), func(b []float32) error { heard = append(heard, b...); return nil })
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
		for len(p.Notified) > 0 {
			<-p.Notified
		}
		time.Sleep(50*time.Millisecond + time.Microsecond)
		want(t, s, audio.Clock{Epoch: 2, Heard: 4410})
		if len(p.Notified) == 0 {
			t.Fatal("the end was not notified")
		}
		got := streamtest.Read(t, heard)
		if len(got) != 2 || got[0].From != 0 || got[0].To != 66150 || got[1].Epoch != 2 || got[1].From != 0 ||
			got[1].To != 4410 {
			t.Fatalf("heard %v", got)
		}
	})
}
