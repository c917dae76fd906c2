package score_test

import (
	"math"
	"slices"
	"testing"

	"waxwing/composer/score"
)

func TestMelodyNotation(t *testing.T) {
	got := score.Melody(4, "p C4:1 E4' r:.5 G4+B4:1.5 | _:1 Bb3:3")
	want := score.Line{
		{At: 0, Dur: 1, Pitch: 60}, {At: 1, Dur: 0.5, Pitch: 64},
		{At: 2.5, Dur: 2.5, Pitch: 67}, {At: 2.5, Dur: 2.5, Pitch: 71}, {At: 5, Dur: 3, Pitch: 58},
	}
	for i := range got {
		got[i].Velocity = 0
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestMelodyRefusesABarThatIsNotFull(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a bar of three beats passed for one of four")
		}
	}()
	score.Melody(4, "C4:1 D4 E4 | F4:4")
}

func TestVoicesMoveLittle(t *testing.T) {
	chart := score.Harmony(4, "Dm9 | G13 | Cmaj9 | A7b9 | Dm9 | G13 | Cmaj9")
	voicings := chart.Voicings(4, score.Register{Low: "F3", High: "F4"})
	for i, tones := range voicings {
		if len(tones) != 4 || !slices.IsSorted(tones) {
			t.Fatalf("%s is voiced as %v", chart[i].Name, tones)
		}
		if i == 0 {
			continue
		}
		for k := range tones {
			if step := math.Abs(float64(tones[k] - voicings[i-1][k])); step > 4 {
				t.Errorf("voice %d jumps by %g into %s", k, step, chart[i].Name)
			}
		}
	}
}

func TestClock(t *testing.T) {
	swing := score.Clock{BPM: 60, Swing: 2.0 / 3, SwingUnit: 1}
	if got := swing.Seconds(1.5); math.Abs(got-5.0/3) > 1e-9 {
		t.Errorf("the swung half of beat 1 falls at %g", got)
	}
	slowing := score.Clock{BPM: 60, SlowFrom: 2, SlowTo: 6, SlowBy: 0.5}
	before := 0.0
	for beat := 0.5; beat < 10; beat += 0.5 {
		now := slowing.Seconds(beat)
		if step := now - before; step < 0.5-1e-9 || step > 1+1e-9 {
			t.Errorf("half a beat before %g takes %g s", beat, step)
		}
		before = now
	}
	if step := slowing.Seconds(9) - slowing.Seconds(8); math.Abs(step-2) > 1e-9 {
		t.Errorf("a beat after slowing takes %g s", step)
	}
}
