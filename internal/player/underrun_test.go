package player

import (
	"testing"
	"time"
)

func TestSeekPauseAndTrackEndAreNoUnderruns(t *testing.T) {
	bubble(t, func(r *rig) {
		r.ok(errOf(r.Play(r.ctx)))
		r.advance(time.Second)
		for _, harmless := range []struct {
			name string
			do   func()
		}{
			{"a seek", func() { r.ok(errOf(r.Seek(r.ctx, 5*time.Second))) }},
			{"another track", func() { r.ok(r.Next(r.ctx)) }},
			{"a pause", func() {
				r.ok(r.Pause(r.ctx))
				r.advance(time.Second)
				r.ok(errOf(r.Play(r.ctx)))
			}},
			{"a lost device", func() { r.dev.Lose(); r.advance(time.Second); r.dev.Return(); r.advance(time.Minute) }},
			{"the end of a track", func() { r.advance(12 * time.Second) }},
		} {
			harmless.do()
			if r.advance(time.Second); r.Stats().Underruns != 0 {
				t.Fatalf("underruns after %s: got %d, want 0", harmless.name, r.Stats().Underruns)
			}
			if !r.Status().Running {
				t.Fatalf("running after %s: got false, want true", harmless.name)
			}
		}
		r.dev.Stall(true)
		r.advance(time.Second)
		r.dev.Stall(false)
		if r.advance(time.Second); r.Stats().Underruns != 1 || !r.Status().Running {
			t.Fatalf("after a stall: got %d underruns, running %v; want 1, true", r.Stats().Underruns, r.Status().Running)
		}
	})
}
