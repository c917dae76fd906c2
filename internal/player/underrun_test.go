package player

import (
	"testing"
	"time"
)

func TestSeekPauseAndTrackEndAreNoUnderruns(t *testing.T) {
	bubble(t, func(r *rig) {
		r.ok(second(r.Play(r.ctx)))
		r.pass(time.Second)
		for _, harmless := range []struct {
			name string
			do   func()
		}{
			{"a seek", func() { r.ok(second(r.Seek(r.ctx, 5*time.Second))) }},
			{"another track", func() { r.ok(r.Next(r.ctx)) }},
			{"a pause", func() {
				r.ok(r.Pause(r.ctx))
				r.pass(time.Second)
				r.ok(second(r.Play(r.ctx)))
			}},
			{"a lost device", func() { r.dev.Lose(); r.pass(time.Second); r.dev.Return(); r.pass(time.Minute) }},
			{"the end of a track", func() { r.pass(12 * time.Second) }},
		} {
			harmless.do()
			if r.pass(time.Second); r.Stats().Underruns != 0 {
				t.Fatalf("%s was counted as an underrun, want 0 underruns", harmless.name)
			}
			if !r.Status().Running {
				t.Fatalf("after %s Running is false, want true", harmless.name)
			}
		}
		r.dev.Stall(true)
		r.pass(time.Second)
		r.dev.Stall(false)
		if r.pass(time.Second); r.Stats().Underruns != 1 || !r.Status().Running {
			t.Fatalf("%d underruns, running %v after a gap; want 1, true", r.Stats().Underruns, r.Status().Running)
		}
	})
}
