package audio_test

import (
	"errors"
	"testing"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/audio/audiotest"
)

func TestDeckJoinsWithoutGapAndReportsWhenPlayed(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		a, b := d.tone(1, 1000), d.tone(2, 1000)
		s := d.play(a)
		d.Follow(b)
		d.fillRings()
		got, last := s.pull(1500)
		d.wantSamples(got, samples(1, 0, 1000), samples(2, 0, 500))
		if last {
			t.Error("Pull in the middle of the second cue: got last, want more to come")
		}
		s.advance(900, true)
		r := d.Poll()
		if want := 100 * time.Second / testRate; r.Joined != nil || !r.Running || r.Again != want {
			t.Errorf("report 100 frames before the join: got %+v, want Running and Again %v", r, want)
		}
		d.wantPosition(a, 900)
		s.advance(150, true)
		if r := d.Poll(); r.Joined != b || r.Ended != nil {
			t.Errorf("report after the join: got %+v, want the second cue joined", r)
		}
		d.wantPosition(b, 50)
		if _, _, ok := d.Position(a); ok {
			t.Error("position of the first cue after the join: got one, want none")
		}
		d.Poll()
		if got, want := a.Heard(), time.Second/8; got != want {
			t.Errorf("played time of the first cue: got %v, want %v", got, want)
		}
		d.wantCalls(`open "" 8000, 1 volume 1, 1 cut, 1 play`)
	})
}

func TestDeckFollowInPlaceOfJoinedCueUnjoinsIt(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		a, b, c := d.tone(1, 1000), d.tone(2, 1000), d.tone(3, 1000)
		s := d.play(a)
		d.Follow(b)
		d.fillRings()
		s.pull(1500) // b is in the device's buffer
		s.advance(900, true)
		d.out.takeCalls()
		d.Follow(c)
		d.wantCalls("1 cut")
		d.wantPosition(a, 900)
		d.fillRings()
		got, _ := s.pull(300)
		d.wantSamples(got, samples(1, 900, 1000), samples(3, 0, 200))
		s.advance(100, true)
		if r := d.Poll(); r.Joined != c {
			t.Errorf("report: got %+v, want the third cue joined", r)
		}
	})
}

func TestDeckFollowNilAfterJoinEndsWithTheFirstCue(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		a := d.tone(1, 1000)
		s := d.play(a)
		d.Follow(d.tone(2, 1000))
		d.fillRings()
		s.pull(1500)
		s.advance(900, true)
		d.Follow(nil)
		d.fillRings()
		got, last := s.pull(300)
		d.wantSamples(got, samples(1, 900, 1000))
		if !last {
			t.Error("Pull at the end of the first cue: got more to come, want last")
		}
		s.advance(100, false)
		if r := d.Poll(); r.Ended != a || r.Failure != nil {
			t.Errorf("report: got %+v, want the first cue ended", r)
		}
		if r := d.Poll(); r.Ended != nil {
			t.Errorf("second report: got %+v, want no end", r)
		}
		if d.Underruns() != 0 {
			t.Errorf("underruns at the end of the queue: got %d, want 0", d.Underruns())
		}
	})
}

func TestDeckSeekAfterJoinKeepsTheFollowedCue(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		a, b := d.tone(1, 1000), d.tone(2, 1000)
		s := d.play(a)
		d.Follow(b)
		d.fillRings()
		s.pull(1500)
		s.advance(900, true)
		d.Seek(100 * time.Second / testRate)
		d.wantPosition(a, 100)
		d.fillRings()
		got, _ := s.pull(1000)
		d.wantSamples(got, samples(1, 100, 1000), samples(2, 0, 100))
		s.advance(900, true)
		if r := d.Poll(); r.Joined != b {
			t.Errorf("report: got %+v, want the followed cue joined", r)
		}
		if got, want := a.Heard(), 1800*time.Second/testRate; got != want {
			t.Errorf("played time of the first cue without seeks: got %v, want %v", got, want)
		}
	})
}

func TestDeckSeekPastEndClampsToLength(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		a := d.tone(1, 1000)
		s := d.play(a)
		d.Seek(time.Hour)
		d.wantPosition(a, 1000)
		d.fillRings()
		if got, last := s.pull(10); len(got) != 0 || !last {
			t.Errorf("pulled frames: got %d, last %v; want 0, true", len(got), last)
		}
		if r := d.Poll(); r.Ended != a {
			t.Errorf("report: got %+v, want the cue ended", r)
		}
	})
}

func TestDeckCountsUnderruns(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		s := d.play(d.tone(1, 20*testRate))
		step := func(frames int64, running bool) {
			s.pull(int(frames))
			s.advance(frames, running)
			d.Poll()
		}
		want := func(n int64, after string) {
			t.Helper()
			if d.Underruns() != n {
				t.Errorf("underruns after %s: got %d, want %d", after, d.Underruns(), n)
			}
		}
		step(100, true)
		step(100, false)
		want(1, "a gap within a track")
		step(0, false)
		want(1, "the same gap")
		step(100, true)
		d.Seek(time.Second)
		d.Poll()
		want(1, "a seek")
		step(100, true)
		d.Pause()
		d.Poll()
		want(1, "a pause")
		d.Play()
		step(100, true)
		step(100, false)
		want(2, "another gap")
	})
}

func TestDeckPullReturnsOnlyDecodedFrames(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		a := d.tone(1, 10*testRate)
		s := d.play(a)
		got, last := s.pull(10 * testRate)
		if len(got) == 0 || len(got) >= 10*testRate || last {
			t.Fatalf("pulled frames: got %d, last %v; want the part decoded ahead, false", len(got), last)
		}
		d.fillRings()
		more, _ := s.pull(100)
		d.wantSamples(more, samples(1, int64(len(got)), int64(len(got)+100)))
	})
}

func TestDeckDamagedCueEndsWithItsErrorAndDoesNotJoin(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		a := d.tone(1, 1000, func(tone *audiotest.Tone) { tone.BreakAt = 400 })
		s := d.play(a)
		d.Follow(d.tone(2, 1000))
		d.fillRings()
		got, last := s.pull(1000)
		d.wantSamples(got, samples(1, 0, 400))
		if !last {
			t.Error("Pull at the damage: got more to come, want last")
		}
		s.advance(400, false)
		if r := d.Poll(); r.Ended != a || !errors.Is(r.Failure, audiotest.ErrBroken) {
			t.Errorf("report: got %+v, want the end with %v", r, audiotest.ErrBroken)
		}
	})
}

func TestDeckReportsTheEndOnlyWhilePlaying(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		a := d.tone(1, 1000)
		s := d.play(a)
		s.pull(1500)
		s.advance(1000, true)
		d.Pause()
		if r := d.Poll(); r.Ended != nil {
			t.Errorf("report while paused: got %+v, want no end", r)
		}
		d.Play()
		if r := d.Poll(); r.Ended != a {
			t.Errorf("report after Play: got %+v, want the end", r)
		}
	})
}

func TestDeckLoadClosesReplacedCuesLater(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		cancelled := 0
		a := d.Cue(&audiotest.Tone{ID: 1, Rate: testRate, Frames: 1000}, 1, func() { cancelled++ })
		s := d.play(a)
		d.out.takeCalls()
		b := d.tone(2, 1000)
		d.Load(b, 0)
		if cancelled != 1 {
			t.Errorf("cancellations of the replaced cue: got %d, want 1 without a delay", cancelled)
		}
		r := d.Poll()
		if r.Again <= 0 || r.Again > 100*time.Millisecond {
			t.Fatalf("next poll: got %v, want a delay of at most 100ms for closing", r.Again)
		}
		time.Sleep(r.Again)
		if r := d.Poll(); r.Again != 0 {
			t.Errorf("next poll: got %v, want 0", r.Again)
		}
		d.wantCalls("1 cut")
		d.fillRings()
		got, _ := s.pull(10)
		d.wantSamples(got, samples(2, 0, 10))
	})
}

func TestDeckUnloadDiscardsEverything(t *testing.T) {
	testDeck(t, func(d *deckTest) {
		a := d.tone(1, 1000)
		s := d.play(a)
		d.Follow(d.tone(2, 1000))
		d.out.takeCalls()
		d.Unload()
		d.wantCalls("1 cut")
		if got, last := s.pull(10); len(got) != 0 || last {
			t.Errorf("pulled frames after Unload: got %d, last %v; want 0, false", len(got), last)
		}
		if _, _, ok := d.Position(a); ok {
			t.Error("position after Unload: got one, want none")
		}
		if r := d.Poll(); r != (audio.Report{}) {
			t.Errorf("report: got %+v, want an empty one", r)
		}
		d.Play()
		d.install()
		d.wantCalls("1 play")
	})
}
