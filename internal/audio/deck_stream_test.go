package audio_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/audio/audiotest"
)

func TestDeckRateChangeReopensTheStreamAfterTheEnd(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		a, b := d.tone(1, 1000), d.tone(2, 1000, func(tone *audiotest.Tone) { tone.Rate = 2 * testRate })
		s := d.play(a)
		d.Follow(b)
		d.fillRings()
		got, last := s.pull(1500)
		d.wantSamples(got, samples(1, 0, 1000))
		if !last {
			t.Error("end of the first cue: got false, want true before a cue of another rate")
		}
		s.advance(1000, false)
		if r := d.Poll(); r.Ended != a || r.Joined != nil {
			t.Errorf("report: got %+v, want the first cue ended", r)
		}
		d.out.takeCalls()
		d.Load(b, 0)
		d.install()
		d.wantCalls(`1 close, open "" 16000, 2 volume 1, 2 cut, 2 play`)
		got, _ = d.out.stream().pull(10)
		d.wantSamples(got, samples(2, 0, 10))
		if d.Underruns() != 0 {
			t.Errorf("underruns: got %d, want 0", d.Underruns())
		}
	})
}

// fixedOutput plays at one rate only.
type fixedOutput struct{ *recordingOutput }

func (fixedOutput) Rate() int { return testRate }

func TestDeckResamplesForAnOutputOfFixedRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &recordingOutput{}
		d := &deckTest{t, audio.NewDeck(fixedOutput{out}, ""), out}
		defer d.Close()
		s := d.play(d.tone(1, 1000))
		d.Follow(d.tone(2, 1000, func(tone *audiotest.Tone) { tone.Rate = 2 * testRate }))
		d.fillRings()
		if got, last := s.pull(3000); len(got) != 1500 || !last {
			t.Errorf("pulled frames: got %d, last %v; want 1500 (1000 and 500 joined), true", len(got), last)
		}
		d.wantCalls(`open "" 8000, 1 volume 1, 1 cut, 1 play`)
	})
}

func TestDeckKeepsPositionWhenTheDeviceIsLost(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		a, b := d.tone(1, 1000), d.tone(2, 1000)
		s := d.play(a)
		d.Follow(b)
		d.fillRings()
		s.pull(1500) // the buffer reaches into b
		s.advance(900, true)
		d.Poll()
		d.out.takeCalls()
		removed := errors.New("removed")
		d.out.setOpenErr(removed)
		s.fail(removed)
		r := d.Poll()
		if !errors.Is(r.Lost, removed) || r.Running || r.Again != 100*time.Millisecond {
			t.Fatalf("report: got %+v, want the loss reported and a retry after 100ms", r)
		}
		d.wantCalls("1 close")
		for _, wait := range []time.Duration{200, 400, 800, 1600, 2000, 2000} {
			time.Sleep(r.Again)
			d.Poll()
			if changes := d.install(); len(changes) != 1 || changes[0] != (audio.OutputChange{}) {
				t.Fatalf("changes after another failure: got %+v, want none", changes)
			}
			d.wantCalls(`open "" 8000`)
			if r = d.Poll(); r.Again != wait*time.Millisecond {
				t.Fatalf("delay of the retry: got %v, want %v", r.Again, wait*time.Millisecond)
			}
		}
		d.wantPosition(a, 900)
		d.out.setOpenErr(nil)
		time.Sleep(r.Again)
		d.Poll()
		if changes := d.install(); len(changes) != 1 || !changes[0].Back {
			t.Fatalf("changes: got %+v, want the output back", changes)
		}
		d.wantCalls(`open "" 8000, 2 volume 1, 2 cut, 2 play`)
		d.fillRings()
		got, _ := d.out.stream().pull(200)
		d.wantSamples(got, samples(1, 900, 1000), samples(2, 0, 100))
		if d.Underruns() != 0 {
			t.Errorf("underruns: got %d, want 0", d.Underruns())
		}
	})
}

func TestDeckRetriesAtOnceOnPlayAndNotWhilePaused(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		d.out.setOpenErr(errors.New("no server"))
		d.Load(d.tone(1, 1000), 0)
		if changes := d.install(); len(changes) != 1 || changes[0].Lost == nil {
			t.Fatalf("changes: got %+v, want the output lost", changes)
		}
		if r := d.Poll(); r.Again != 0 {
			t.Errorf("next poll while paused: got %v, want 0", r.Again)
		}
		time.Sleep(time.Hour)
		d.Poll()
		d.wantCalls(`open "" 8000`)
		d.out.setOpenErr(nil)
		d.Play()
		if changes := d.install(); len(changes) != 1 || !changes[0].Back {
			t.Fatalf("changes: got %+v, want the output back", changes)
		}
		d.wantCalls(`open "" 8000, 1 volume 1, 1 cut, 1 play`)
	})
}

func TestDeckMovesToABetterDeviceWithoutReportingALoss(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		a := d.tone(1, 1000)
		s := d.play(a)
		s.pull(500)
		s.advance(300, true)
		d.out.takeCalls()
		s.fail(audio.ErrMoved)
		if r := d.Poll(); r.OutputChange != (audio.OutputChange{}) {
			t.Errorf("report: got %+v, want no change of the output", r)
		}
		d.install()
		d.wantCalls(`1 close, open "" 8000, 2 volume 1, 2 cut, 2 play`)
		d.fillRings()
		got, _ := d.out.stream().pull(10)
		d.wantSamples(got, samples(1, 300, 310))
	})
}

func TestDeckSetDeviceKeepsPosition(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		a := d.tone(1, 1000)
		s := d.play(a)
		s.pull(500)
		s.advance(300, true)
		d.out.takeCalls()
		d.SetDevice("other")
		d.wantPosition(a, 300)
		d.install()
		d.wantCalls(`1 close, open "other" 8000, 2 volume 1, 2 cut, 2 play`)
		if d.Device() != "other" {
			t.Errorf("device: got %q, want other", d.Device())
		}
	})
}

func TestDeckClosesTheStreamOfALateOpener(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		d.out.hold["slow"] = make(chan struct{})
		d.SetDevice("slow")
		a := d.tone(1, 1000)
		d.Load(a, 0)
		d.Play()
		synctest.Wait()
		d.SetDevice("fast")
		d.install()
		d.wantCalls(`open "slow" 8000, open "fast" 8000, 1 volume 1, 1 cut, 1 play`)
		close(d.out.hold["slow"])
		d.install()
		d.wantCalls("2 close")
		s := d.out.streams[0]
		s.pull(100)
		s.advance(100, true)
		d.wantPosition(a, 100)
	})
}

func TestDeckInstallAppliesChangesMadeWhileOpening(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		d.out.hold[""] = make(chan struct{})
		a, b := d.tone(1, 1000), d.tone(2, 1000)
		d.Load(a, 0)
		d.Play()
		synctest.Wait()
		d.SetVolume(0.5)
		d.Load(b, 0)
		d.Seek(100 * time.Second / testRate)
		d.Pause()
		d.fillRings()
		d.wantPosition(b, 100)
		close(d.out.hold[""])
		d.install()
		d.wantCalls(`open "" 8000, 1 volume 0.5, 1 cut`)
		got, _ := d.out.stream().pull(10)
		d.wantSamples(got, samples(2, 100, 110))
		d.Play()
		d.wantCalls("1 play")
	})
}

func TestDeckCloseClosesTheStreamOfALateOpener(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		hold := make(chan struct{})
		d.out.hold[""] = hold
		d.Load(d.tone(1, 1000), 0)
		synctest.Wait()
		time.AfterFunc(time.Second, func() { close(hold) })
		d.Close()
		d.wantCalls(`open "" 8000, 1 close`)
	})
}
