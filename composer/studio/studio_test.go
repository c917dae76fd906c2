package studio_test

import (
	"math"
	"slices"
	"testing"

	"waxwing/composer/score"
	"waxwing/composer/studio"
	"waxwing/composer/synth"
)

const rate = 16000

// TestLoudnessOfTheStandardsTone uses the case BS.1770 itself gives: a sine near 1 kHz
// on both sides measures what its peak level is in dBFS.
func TestLoudnessOfTheStandardsTone(t *testing.T) {
	tone := synth.Silence(5 * 48000)
	for i := range tone.L {
		tone.L[i] = 0.1 * math.Sin(2*math.Pi*997*float64(i)/48000)
		tone.R[i] = tone.L[i]
	}
	if got := studio.Loudness(48000, tone); math.Abs(got+20) > 0.05 {
		t.Errorf("a tone of -20 dBFS measures %.2f LUFS", got)
	}
}

// brief is a piece short enough to be recorded often, with all that chance touches.
func brief() studio.Session {
	chart := score.Harmony(4, "Am7 | Dm9")
	voicings := chart.Voicings(4, score.Register{Low: "G3", High: "G4"})
	figure := score.Figure{Steps: 2, Grid: "x-..o-x-", Velocity: 0.6}
	return studio.Session{
		Clock: score.Clock{BPM: 120, Swing: 0.6, SwingUnit: 1}, Chart: chart, Tail: 1, Seed: 5,
		Room: studio.Room{Decay: 1.5, Size: 1, Damping: 4000, Level: -8},
		Echo: studio.Echo{Beats: 0.75, Feedback: 0.4, Cutoff: 2500},
		Pump: score.Beat(1, "x", 8),
		Parts: []studio.Part{
			{
				Name:    "keys",
				Line:    figure.Over(chart, voicings),
				Voice:   synth.ElectricPiano,
				Room:    0.5,
				Echo:    0.3,
				Loose:   0.01,
				Pumped:  true,
				Effects: []studio.Effect{studio.Chorus(0.3), studio.Tremolo(4, 0.2)},
			},
			{
				Name:  "guitar",
				Line:  score.Melody(4, "E4:1 G4 A4 C5 | F5:2 D5"),
				Voice: synth.NylonGuitar,
				Room:  0.3,
				Loose: 0.01,
			},
			{Name: "snare", Role: studio.Drums, Line: score.Beat(1, ".x", 8), Voice: synth.DustySnare, Level: -10},
		},
	}
}

func TestRecordingIsDeterministic(t *testing.T) {
	first, second := brief().Record(rate), brief().Record(rate)
	if !slices.Equal(first.L, second.L) || !slices.Equal(first.R, second.R) {
		t.Error("the same session sounded differently the second time")
	}
}

func TestRecordingIsLoudEnoughAndNeverClips(t *testing.T) {
	sound := brief().Record(rate)
	if got := studio.Loudness(rate, sound); math.Abs(got-studio.Target) > 0.3 {
		t.Errorf("%.2f LUFS instead of %.2f", got, studio.Target)
	}
	if peak := studio.Peak(sound); peak > 0.9 {
		t.Errorf("peak %.3f", peak)
	}
	offset := 0.0
	for i := range sound.L {
		offset += sound.L[i] / float64(sound.Len())
	}
	if math.Abs(offset) > 1e-4 {
		t.Errorf("the recording has an offset of %g", offset)
	}
	if last := math.Abs(sound.L[sound.Len()-1]); last > 1e-6 {
		t.Errorf("the recording ends in a step of %g", last)
	}
}
