package player

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"waxwing/internal/audio/audiotest"
	"waxwing/internal/fault"
)

func TestPlayFillsEmptyQueueFromCatalog(t *testing.T) {
	bubble(t, func(r *rig) {
		id, err := r.Play(r.ctx)
		r.ok(err)
		r.advance(3 * time.Second)
		if id != "t0" || len(r.Status().Queue) != 10 {
			t.Fatalf("play on an empty queue: got track %q and queue %v, want t0 and 10 tracks", id, r.Status().Queue)
		}
		r.wantState("t0", true, 3*time.Second)
	})
}

func TestCommandsOnEmptyCatalogConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &toneLibrary{})
		for _, err := range []error{errOf(r.Play(r.ctx)), errOf(r.Toggle(r.ctx)), r.Next(r.ctx), r.Previous(r.ctx),
			errOf(r.Seek(r.ctx, 1))} {
			if k, _ := fault.Of(err); k != fault.Conflict {
				t.Errorf("command on an empty catalog: got %v, want a conflict", err)
			}
		}
	})
}

// errOf returns the error of a call with two results.
func errOf[T any](_ T, err error) error { return err }

func TestPauseResumeSeek(t *testing.T) {
	bubble(t, func(r *rig) {
		r.ok(errOf(r.Play(r.ctx)))
		r.advance(2 * time.Second)
		r.ok(r.Pause(r.ctx))
		r.wantState("t0", false, 2*time.Second)
		before := len(r.dev.Recorded())
		r.advance(time.Minute)
		r.wantState("t0", false, 2*time.Second)
		if n := len(r.dev.Recorded()); n != before {
			t.Fatalf("frames played while paused: got %d, want 0", n-before)
		}
		at, err := r.Seek(r.ctx, 7*time.Second)
		r.ok(err)
		if at != 7*time.Second {
			t.Fatalf("seek position: got %v, want 7s", at)
		}
		r.wantState("t0", false, 7*time.Second)
		r.ok(errOf(r.Play(r.ctx)))
		r.advance(time.Second)
		r.wantState("t0", true, 8*time.Second)
		if at, err = r.Seek(r.ctx, time.Hour); err != nil || at != 10*time.Second {
			t.Fatalf("seek past the end: got %v, error %v; want 10s", at, err)
		}
		r.advance(time.Second)
		r.wantState("t1", true, time.Second) // as after a natural end
	})
}

// The catalog's length is in milliseconds, the decoder's in frames.
func TestSeekPastEndClampsToDurationBeforeAndAfterLoading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &toneLibrary{size: 2, length: 33591 * time.Millisecond, rate: 44100,
			slow: map[string]time.Duration{"t0": time.Second}})
		r.ok(errOf(r.Play(r.ctx)))
		r.ok(r.Pause(r.ctx))
		for range 2 {
			if at, err := r.Seek(r.ctx, time.Hour); err != nil || at != 33591*time.Millisecond {
				t.Fatalf("seek past the end: got %v, error %v; want 33.591s", at, err)
			}
			r.advance(2 * time.Second) // the track is loaded now
		}
	})
}

func TestGaplessTracksAreExactToTheSample(t *testing.T) {
	bubble(t, func(r *rig) {
		r.ok(r.SetVolume(r.ctx, ptr(100), nil))
		r.ok(r.Replace(r.ctx, Selection{TrackIDs: []string{"t0", "t1", "t2"}}, 0, true))
		r.advance(31 * time.Second)
		var want []float32
		for id := range 3 {
			for f := range int64(10 * rate) {
				want = append(want, audiotest.Sample(id, f))
			}
		}
		if got := r.dev.Recorded(); !slices.Equal(got, want) {
			t.Fatalf("recorded frames: got %d, want %d; first difference at %d",
				len(got), len(want), firstDifference(got, want))
		}
		r.wantState("t2", false, 10*time.Second)
		if want := []string{"t0", "t1", "t2"}; !slices.Equal(r.plays, want) {
			t.Fatalf("counted plays: got %v, want %v", r.plays, want)
		}
		if r.dev.Opens() != 1 {
			t.Fatalf("opened streams: got %d, want 1", r.dev.Opens())
		}
		r.ok(errOf(r.Play(r.ctx)))
		r.advance(time.Second)
		r.wantState("t0", true, time.Second) // after the end of the queue, from the first track
	})
}

func firstDifference(a, b []float32) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

func ptr[T any](v T) *T { return &v }

func TestTrackOfAnotherRateReopensTheDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &toneLibrary{size: 3, length: 2 * time.Second, rates: map[string]int{"t1": 16000}})
		r.ok(errOf(r.Play(r.ctx)))
		r.advance(3 * time.Second)
		r.wantState("t1", true, time.Second)
		r.advance(2 * time.Second)
		r.wantState("t2", true, time.Second)
		if r.dev.Opens() != 3 {
			t.Fatalf("opened streams: got %d, want 3", r.dev.Opens())
		}
	})
}

func TestCommandsDoNotWaitForASlowCatalog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &toneLibrary{size: 3, length: 10 * time.Second, slow: map[string]time.Duration{"t1": 5 * time.Second}})
		r.ok(r.PlayTrack(r.ctx, "t1"))
		r.advance(time.Second)
		r.wantState("t1", true, 0)
		start := time.Now()
		r.ok(r.Pause(r.ctx))
		r.ok(errOf(r.Seek(r.ctx, 4*time.Second)))
		if waited := time.Since(start); waited != 0 {
			t.Fatalf("commands waited %v for the catalog, want 0", waited)
		}
		r.wantState("t1", false, 4*time.Second)
		r.ok(errOf(r.Toggle(r.ctx)))
		r.advance(5 * time.Second)
		r.wantState("t1", true, 5*time.Second)
	})
}

func TestNewestPlayCommandReplacesASlowOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &toneLibrary{size: 9, length: 10 * time.Second, slow: map[string]time.Duration{"t1": 5 * time.Second}})
		r.ok(r.PlayTrack(r.ctx, "t1"))
		r.ok(r.PlayTrack(r.ctx, "t2"))
		r.advance(20 * time.Second)
		r.wantState("t2", false, 10*time.Second)
		for _, v := range r.dev.Recorded() {
			if v < audiotest.Sample(2, 0)*0.5 || v > audiotest.Sample(2, 8190)*0.52 {
				t.Fatalf("recorded sample %v is not of t2; want only t2 to be played", v)
			}
		}
	})
}

func TestDamagedTracksAreSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &toneLibrary{size: 4, length: 10 * time.Second, broken: map[string]int64{"t0": 0, "t2": 4 * rate}})
		r.ok(errOf(r.Play(r.ctx)))
		r.advance(time.Second)
		r.wantState("t1", true, time.Second)
		if e := r.Status().Error; !strings.Contains(e, "Track 0") {
			t.Fatalf("status error: got %q, want it to name Track 0", e)
		}
		r.advance(12 * time.Second)
		r.wantState("t2", true, 3*time.Second)
		r.advance(2 * time.Second)
		r.wantState("t3", true, time.Second)
		if e := r.Status().Error; !strings.Contains(e, "Track 2") {
			t.Fatalf("status error: got %q, want it to name Track 2", e)
		}
		if n := strings.Count(r.log.String(), "level=WARN"); n != 2 {
			t.Fatalf("warnings: got %d, want 2; log: %s", n, r.log.String())
		}
	})
}

func TestPlayerStopsWhenNoTrackCanBePlayed(t *testing.T) {
	for _, repeat := range []Repeat{RepeatOff, RepeatOne, RepeatAll, RepeatOn} {
		t.Run(string(repeat), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, &toneLibrary{size: 3, length: time.Second, broken: map[string]int64{"t0": 0, "t1": 0, "t2": 0}})
				r.ok(r.SetRepeat(r.ctx, repeat))
				r.ok(errOf(r.Play(r.ctx)))
				r.advance(time.Hour)
				st := r.Status()
				if st.Playing || st.Error == "" || len(r.library.opens()) > 4 {
					t.Fatalf("got status %+v after opening %v; want stopped with an error after at most 4 attempts",
						st, r.library.opens())
				}
			})
		})
	}
}

func TestPlayerRetriesWhileTheCatalogIsUnreachable(t *testing.T) {
	bubble(t, func(r *rig) {
		r.library.setUnreachable(true)
		r.ok(r.PlayTrack(r.ctx, "t4"))
		r.advance(time.Minute)
		r.wantState("t4", true, 0)
		if e := r.Status().Error; !strings.Contains(e, "catalog") || len(r.library.opens()) > 20 {
			t.Fatalf("got status error %q after opening %v; want the catalog named and at most 20 attempts",
				e, r.library.opens())
		}
		r.library.setUnreachable(false)
		r.advance(6 * time.Second)
		if st := r.Status(); !st.Running || st.Error != "" {
			t.Fatalf("status after the catalog is reachable again: got %+v, want running without an error", st)
		}
	})
}

func TestPositionSurvivesALostDevice(t *testing.T) {
	bubble(t, func(r *rig) {
		r.ok(r.SetVolume(r.ctx, ptr(100), nil))
		r.ok(errOf(r.Play(r.ctx)))
		r.advance(4 * time.Second)
		r.dev.Lose()
		r.advance(time.Minute)
		r.wantState("t0", true, 4*time.Second)
		if st := r.Status(); st.Error == "" || st.Running {
			t.Fatalf("status without a device: got %+v, want an error and not running", st)
		}
		r.dev.Return()
		r.advance(30 * time.Second)
		if e := r.Status().Error; e != "" {
			t.Fatalf("status error after the device returned: got %q, want none", e)
		}
		for i, v := range r.dev.Recorded()[:20*rate] { // no sample is missing or repeated
			if want := audiotest.Sample(i/(10*rate), int64(i%(10*rate))); v != want {
				t.Fatalf("frame %d: got sample %v, want %v", i, v, want)
			}
		}
	})
}

func TestStateSurvivesARestart(t *testing.T) {
	bubble(t, func(r *rig) {
		r.ok(r.Replace(r.ctx, Selection{TrackIDs: []string{"t5", "t6", "t7"}}, 1, true))
		r.ok(r.SetShuffle(r.ctx, true))
		r.ok(r.SetRepeat(r.ctx, RepeatOn))
		r.ok(r.SetVolume(r.ctx, ptr(33), ptr(true)))
		r.advance(4 * time.Second)
		before := r.Status()
		saved, err := readJournal(r.config.StateFile) // the state that a killed process leaves
		if err != nil || saved == nil || 4*time.Second-saved.Position > time.Second {
			t.Fatalf("saved state: got %+v, error %v; want a position of at least 3s", saved, err)
		}
		r.stop()
		r.start()
		r.wantState("t6", false, 4*time.Second)
		after := r.Status()
		if !after.Shuffle || after.Repeat != RepeatOn || after.Volume != 33 || !after.Muted ||
			!slices.Equal(after.Queue, before.Queue) {
			t.Fatalf("status after a restart: got %+v, want %+v", after, before)
		}
		r.ok(errOf(r.Play(r.ctx)))
		r.advance(time.Second)
		r.wantState("t6", true, 5*time.Second)
	})
}

func TestStaleQueueIndexConflicts(t *testing.T) {
	bubble(t, func(r *rig) {
		r.ok(r.Replace(r.ctx, Selection{TrackIDs: []string{"t1", "t2", "t3"}}, 0, false))
		r.ok(r.remove(0, "t1"))
		for _, err := range []error{r.remove(0, "t1"), r.jump(2, "t3"), r.move(1, 0, "t2"),
			r.jump(-1, "t3")} {
			if k, _ := fault.Of(err); k != fault.Conflict {
				t.Errorf("command with a stale index: got %v, want a conflict", err)
			}
		}
		r.ok(r.move(0, 1, "t2"))
		if got := fmt.Sprint(ids(r.Status().Queue)); got != "[t3 t2]" {
			t.Fatalf("queue: got %s, want [t3 t2]", got)
		}
		r.wantState("t2", false, 0)
	})
}

func ids(tracks []Track) (all []string) {
	for _, t := range tracks {
		all = append(all, t.ID)
	}
	return all
}

func TestSlowWatcherSkipsToNewestStatus(t *testing.T) {
	bubble(t, func(r *rig) {
		var received []*Status
		done := make(chan struct{})
		ctx, cancel := context.WithCancel(r.ctx)
		go func() {
			defer close(done)
			for s := range r.Updates(ctx) {
				received = append(received, s)
				time.Sleep(time.Hour) // a very slow client
			}
		}()
		synctest.Wait()
		r.ok(errOf(r.Play(r.ctx)))
		r.advance(time.Second)
		r.ok(r.SetVolume(r.ctx, ptr(7), nil))
		r.advance(2 * time.Hour)
		cancel()
		<-done
		if len(received) < 2 || received[1].Volume != 7 {
			t.Fatalf("received %d updates, want at least 2, the second with volume 7", len(received))
		}
	})
}

func TestCommandsAfterShutdownReturnErrClosed(t *testing.T) {
	bubble(t, func(r *rig) {
		r.ok(errOf(r.Play(r.ctx)))
		r.stop()
		r.stop = func() {}
		if err := r.Pause(r.ctx); err != ErrClosed { //nolint:errorlint // must be the value itself
			t.Fatalf("pause after shutdown: got %v, want %v", err, ErrClosed)
		}
	})
}
