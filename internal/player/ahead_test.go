package player

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// The next track must not be fetched while the listener waits for a change of track.
func TestNextTrackIsFetchedAfterADelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{size: 5, length: time.Minute}
		r := newRig(t, s)
		r.ok(second(r.Play(t.Context())))
		r.pass(time.Second)
		opened := func(want ...string) {
			t.Helper()
			if got := s.opens(); !slices.Equal(got, want) {
				t.Errorf("opened %v, want %v", got, want)
			}
		}
		opened("t0", "t1")
		r.ok(r.Next(t.Context()))
		r.pass(lookAheadDelay - time.Millisecond)
		opened("t0", "t1")
		r.pass(2 * time.Millisecond)
		opened("t0", "t1", "t2")
		r.ok(r.Next(t.Context()))
		r.ok(r.Next(t.Context())) // t3 is not open yet: it is opened at once
		r.pass(time.Millisecond)
		opened("t0", "t1", "t2", "t3")
		r.ok(second(r.Seek(t.Context(), s.length-time.Second))) // near the end: t4 is opened at once
		synctest.Wait()
		opened("t0", "t1", "t2", "t3", "t4")
	})
}
