package synth_test

import (
	"math"
	"testing"

	"waxwing/composer/synth"
)

// TestInstrumentsAreInTune finds the strongest pitch near each asked one and allows a
// few cents, less than a good ear hears in passing.
func TestInstrumentsAreInTune(t *testing.T) {
	const rate = 24000
	for name, play := range map[string]synth.Instrument{
		"electric piano": synth.ElectricPiano, "piano": synth.Piano, "nylon": synth.NylonGuitar, "steel": synth.SteelGuitar,
		"harp": synth.Harp, "upright": synth.UprightBass, "music box": synth.MusicBox, "celesta": synth.Celesta,
		"vibraphone": synth.Vibraphone, "glass": synth.GlassBell, "sub": synth.SubBass, "triangle": synth.ChipTriangle,
		"flute": synth.SoftFlute,
	} {
		for _, freq := range []float64{98, 220, 440, 783.99} {
			sound := play(rate, synth.Tone{Freq: freq, Hold: 1.2, Velocity: 0.7, Rand: synth.NewRand(3)})
			best, bestPower := 0.0, 0.0
			for cents := -30.0; cents <= 30; cents += 3 {
				if p := power(sound.L, freq*math.Exp2(cents/1200)/rate); p > bestPower {
					best, bestPower = cents, p
				}
			}
			if math.Abs(best) > 3 {
				t.Errorf("%s at %.0f Hz is %+.0f cents out of tune", name, freq, best)
			}
		}
	}
}

// power is the strength of one frequency, in cycles per sample, seen through a window.
func power(samples []float64, freq float64) float64 {
	n := min(len(samples), 9600)
	var re, im float64
	for i, x := range samples[:n] {
		x *= 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/float64(n))
		sin, cos := math.Sincos(2 * math.Pi * freq * float64(i))
		re += x * cos
		im += x * sin
	}
	return re*re + im*im
}

// TestNotesEndInSilence: a note that stops in a step would be heard as a click.
func TestNotesEndInSilence(t *testing.T) {
	for name, play := range map[string]synth.Instrument{
		"electric piano": synth.ElectricPiano, "piano": synth.Piano, "nylon": synth.NylonGuitar, "upright": synth.UprightBass,
		"music box": synth.MusicBox, "glass": synth.GlassBell, "pad": synth.WarmPad, "flute": synth.SoftFlute,
		"club kick": synth.ClubKick, "ride": synth.Ride, "snare": synth.DustySnare, "swirl": synth.BrushSwirl,
		"pulse": synth.Pulse(0.25, synth.Envelope{Attack: 0.004, Decay: 0.5, Sustain: 0.5, Release: 0.05}),
	} {
		for _, hold := range []float64{0.1, 0.9, 8} {
			sound := play(44100, synth.Tone{Freq: 330, Hold: hold, Velocity: 0.9, Rand: synth.NewRand(4)})
			first, last := sound.L[0], sound.L[sound.Len()-1]
			if math.Abs(first) > 0.02 || math.Abs(last) > 0.002 {
				t.Errorf("%s held for %g s begins at %.4f and ends at %.4f", name, hold, first, last)
			}
		}
	}
}
