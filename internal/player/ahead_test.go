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
		s := &toneLibrary{size: 5, length: time.Minute}
		r := newRig(t, s)
		r.ok(errOf(r.Play(t.Context())))
		r.advance(time.Second)
		opened := func(want ...string) {
			t.Helper()
			if got := s.opens(); !slices.Equal(got, want) {
				t.Errorf("opened tracks: got %v, want %v", got, want)
			}
		}
		opened("t0", "t1")
		r.ok(r.Next(t.Context()))
		r.advance(lookAheadDelay - time.Millisecond)
		opened("t0", "t1")
		r.advance(2 * time.Millisecond)
		opened("t0", "t1", "t2")
		r.ok(r.Next(t.Context()))
		r.ok(r.Next(t.Context())) // t3 is not open yet: it is opened at once
		r.advance(time.Millisecond)
		opened("t0", "t1", "t2", "t3")
		r.ok(errOf(r.Seek(t.Context(), s.length-time.Second))) // near the end: t4 is opened at once
		synctest.Wait()
		opened("t0", "t1", "t2", "t3", "t4")
	})
}
