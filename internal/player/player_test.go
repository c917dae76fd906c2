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
		r.pass(3 * time.Second)
		if id != "t0" || len(r.Status().Queue) != 10 {
			t.Fatal(id, r.Status().Queue)
		}
		r.is("t0", true, 3*time.Second)
	})
}

func TestCommandsOnEmptyCatalogConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &shelf{})
		for _, err := range []error{second(r.Play(r.ctx)), second(r.Toggle(r.ctx)), r.Next(r.ctx), r.Previous(r.ctx),
			second(r.Seek(r.ctx, 1))} {
			if k, _ := fault.Of(err); k != fault.Conflict {
				t.Error(err)
			}
		}
	})
}

func second[T any](_ T, err error) error { return err }

func TestPauseResumeSeek(t *testing.T) {
	bubble(t, func(r *rig) {
		r.ok(second(r.Play(r.ctx)))
		r.pass(2 * time.Second)
		r.ok(r.Pause(r.ctx))
		r.is("t0", false, 2*time.Second)
		heard := len(r.dev.Heard())
		r.pass(time.Minute)
		r.is("t0", false, 2*time.Second)
		if n := len(r.dev.Heard()); n != heard {
			t.Fatalf("%d frames were played while paused, want 0", n-heard)
		}
		at, err := r.Seek(r.ctx, 7*time.Second)
		r.ok(err)
		if at != 7*time.Second {
			t.Fatal(at)
		}
		r.is("t0", false, 7*time.Second)
		r.ok(second(r.Play(r.ctx)))
		r.pass(time.Second)
		r.is("t0", true, 8*time.Second)
		if at, err = r.Seek(r.ctx, time.Hour); err != nil || at != 10*time.Second {
			t.Fatal(at, err)
		}
		r.pass(time.Second)
		r.is("t1", true, time.Second) // as after a natural end
	})
}

// The catalog's length is in milliseconds, the decoder's in frames.
func TestSeekPastEndClampsToDurationBeforeAndAfterLoading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &shelf{size: 2, length: 33591 * time.Millisecond, rate: 44100,
			slow: map[string]time.Duration{"t0": time.Second}})
		r.ok(second(r.Play(r.ctx)))
		r.ok(r.Pause(r.ctx))
		for range 2 {
			if at, err := r.Seek(r.ctx, time.Hour); err != nil || at != 33591*time.Millisecond {
				t.Fatal(at, err)
			}
			r.pass(2 * time.Second) // now it is loaded
		}
	})
}

func TestJoinsAreExactToTheSample(t *testing.T) {
	bubble(t, func(r *rig) {
		r.ok(r.SetVolume(r.ctx, ptr(100), nil))
		r.ok(r.Replace(r.ctx, Selection{TrackIDs: []string{"t0", "t1", "t2"}}, 0, true))
		r.pass(31 * time.Second)
		var want []float32
		for id := range 3 {
			for f := range int64(10 * rate) {
				want = append(want, audiotest.Sample(id, f))
			}
		}
		if got := r.dev.Heard(); !slices.Equal(got, want) {
			t.Fatalf("heard %d frames, want %d; first difference at %d", len(got), len(want), firstDifference(got, want))
		}
		r.is("t2", false, 10*time.Second)
		if want := []string{"t0", "t1", "t2"}; !slices.Equal(r.plays, want) {
			t.Fatalf("counted %v, want %v", r.plays, want)
		}
		if r.dev.Opens() != 1 {
			t.Fatal("the device was opened more than once")
		}
		r.ok(second(r.Play(r.ctx)))
		r.pass(time.Second)
		r.is("t0", true, time.Second) // after the end of the queue, from the first track
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
		r := newRig(t, &shelf{size: 3, length: 2 * time.Second, rates: map[string]int{"t1": 16000}})
		r.ok(second(r.Play(r.ctx)))
		r.pass(3 * time.Second)
		r.is("t1", true, time.Second)
		r.pass(2 * time.Second)
		r.is("t2", true, time.Second)
		if r.dev.Opens() != 3 {
			t.Fatal(r.dev.Opens())
		}
	})
}

func TestCommandsDoNotWaitForASlowCatalog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &shelf{size: 3, length: 10 * time.Second, slow: map[string]time.Duration{"t1": 5 * time.Second}})
		r.ok(r.PlayTrack(r.ctx, "t1"))
		r.pass(time.Second)
		r.is("t1", true, 0)
		began := time.Now()
		r.ok(r.Pause(r.ctx))
		r.ok(second(r.Seek(r.ctx, 4*time.Second)))
		if time.Since(began) != 0 {
			t.Fatal("a command waited for the catalog")
		}
		r.is("t1", false, 4*time.Second)
		r.ok(second(r.Toggle(r.ctx)))
		r.pass(5 * time.Second)
		r.is("t1", true, 5*time.Second)
	})
}

func TestNewestPlayCommandReplacesASlowOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &shelf{size: 9, length: 10 * time.Second, slow: map[string]time.Duration{"t1": 5 * time.Second}})
		r.ok(r.PlayTrack(r.ctx, "t1"))
		r.ok(r.PlayTrack(r.ctx, "t2"))
		r.pass(20 * time.Second)
		r.is("t2", false, 10*time.Second)
		for _, v := range r.dev.Heard() {
			if v < audiotest.Sample(2, 0)*0.5 || v > audiotest.Sample(2, 8190)*0.52 {
				t.Fatal("another track than t2 was played")
			}
		}
	})
}

func TestDamagedTracksAreSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &shelf{size: 4, length: 10 * time.Second, broken: map[string]int64{"t0": 0, "t2": 4 * rate}})
		r.ok(second(r.Play(r.ctx)))
		r.pass(time.Second)
		r.is("t1", true, time.Second)
		if e := r.Status().Error; !strings.Contains(e, "Track 0") {
			t.Fatal(e)
		}
		r.pass(12 * time.Second)
		r.is("t2", true, 3*time.Second)
		r.pass(2 * time.Second)
		r.is("t3", true, time.Second)
		if e := r.Status().Error; !strings.Contains(e, "Track 2") {
			t.Fatal(e)
		}
		if n := strings.Count(r.log.String(), "level=WARN"); n != 2 {
			t.Fatalf("%d warnings: %s", n, r.log.String())
		}
	})
}

func TestPlayerStopsWhenNoTrackOfTheQueuePlays(t *testing.T) {
	for _, repeat := range []Repeat{RepeatOff, RepeatOne, RepeatAll, RepeatOn} {
		t.Run(string(repeat), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, &shelf{size: 3, length: time.Second, broken: map[string]int64{"t0": 0, "t1": 0, "t2": 0}})
				r.ok(r.SetRepeat(r.ctx, repeat))
				r.ok(second(r.Play(r.ctx)))
				r.pass(time.Hour)
				st := r.Status()
				if st.Playing || st.Error == "" || len(r.shelf.opens()) > 4 {
					t.Fatalf("%+v after opening %v", st, r.shelf.opens())
				}
			})
		})
	}
}

func TestPlayerRetriesWhileTheCatalogIsUnreachable(t *testing.T) {
	bubble(t, func(r *rig) {
		r.shelf.setUnreachable(true)
		r.ok(r.PlayTrack(r.ctx, "t4"))
		r.pass(time.Minute)
		r.is("t4", true, 0)
		if e := r.Status().Error; !strings.Contains(e, "catalog") || len(r.shelf.opens()) > 20 {
			t.Fatal(e, r.shelf.opens())
		}
		r.shelf.setUnreachable(false)
		r.pass(6 * time.Second)
		if st := r.Status(); !st.Running || st.Error != "" {
			t.Fatalf("%+v", st)
		}
	})
}

func TestPositionSurvivesALostDevice(t *testing.T) {
	bubble(t, func(r *rig) {
		r.ok(r.SetVolume(r.ctx, ptr(100), nil))
		r.ok(second(r.Play(r.ctx)))
		r.pass(4 * time.Second)
		r.dev.Lose()
		r.pass(time.Minute)
		r.is("t0", true, 4*time.Second)
		if st := r.Status(); st.Error == "" || st.Running {
			t.Fatalf("%+v", st)
		}
		r.dev.Return()
		r.pass(30 * time.Second)
		if e := r.Status().Error; e != "" {
			t.Fatal(e)
		}
		heard := r.dev.Heard()[:20*rate]
		for i, v := range heard { // no sample is missing or repeated
			if want := audiotest.Sample(i/(10*rate), int64(i%(10*rate))); v != want {
				t.Fatalf("frame %d is %v, want %v", i, v, want)
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
		r.pass(4 * time.Second)
		before := r.Status()
		saved, err := readJournal(r.config.StateFile) // the state that a killed process leaves
		if err != nil || saved == nil || 4*time.Second-saved.Position > time.Second {
			t.Fatalf("%+v %v", saved, err)
		}
		r.stop()
		r.start()
		r.is("t6", false, 4*time.Second)
		after := r.Status()
		if !after.Shuffle || after.Repeat != RepeatOn || after.Volume != 33 || !after.Muted ||
			!slices.Equal(after.Queue, before.Queue) {
			t.Fatalf("%+v", after)
		}
		r.ok(second(r.Play(r.ctx)))
		r.pass(time.Second)
		r.is("t6", true, 5*time.Second)
	})
}

func TestStaleQueueIndexConflicts(t *testing.T) {
	bubble(t, func(r *rig) {
		r.ok(r.Replace(r.ctx, Selection{TrackIDs: []string{"t1", "t2", "t3"}}, 0, false))
		r.ok(r.Remove(r.ctx, 0, "t1"))
		for _, err := range []error{r.Remove(r.ctx, 0, "t1"), r.Jump(r.ctx, 2, "t3"), r.Move(r.ctx, 1, 0, "t2"),
			r.Jump(r.ctx, -1, "t3")} {
			if k, _ := fault.Of(err); k != fault.Conflict {
				t.Error(err)
			}
		}
		r.ok(r.Move(r.ctx, 0, 1, "t2"))
		if got := fmt.Sprint(ids(r.Status().Queue)); got != "[t3 t2]" {
			t.Fatal(got)
		}
		r.is("t2", false, 0)
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
		var seen []*Status
		done := make(chan struct{})
		ctx, cancel := context.WithCancel(r.ctx)
		go func() {
			defer close(done)
			for s := range r.Updates(ctx) {
				seen = append(seen, s)
				time.Sleep(time.Hour) // a very slow client
			}
		}()
		synctest.Wait()
		r.ok(second(r.Play(r.ctx)))
		r.pass(time.Second)
		r.ok(r.SetVolume(r.ctx, ptr(7), nil))
		r.pass(2 * time.Hour)
		cancel()
		<-done
		if len(seen) < 2 || seen[1].Volume != 7 {
			t.Fatalf("saw %d", len(seen))
		}
	})
}

func TestCommandsAfterShutdownReturnErrClosed(t *testing.T) {
	bubble(t, func(r *rig) {
		r.ok(second(r.Play(r.ctx)))
		r.stop()
		r.stop = func() {}
		if err := r.Pause(r.ctx); err != ErrClosed { //nolint:errorlint // the very value
			t.Fatal(err)
		}
	})
}
