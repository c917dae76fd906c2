package synth

import "math"

// Wind is a blown tube: a few harmonics whose strength follows the breath, with a
// vibrato that comes late and a whisper of air.
type Wind struct {
	Harmonics []float64
	Breath    float64
	Vibrato   float64 // cents
	Loudness  Envelope
}

// The winds of this record.
var (
	LowWhistle = Wind{
		Harmonics: []float64{1, 0.34, 0.16, 0.05, 0.02}, Breath: 0.05, Vibrato: 13,
		Loudness: Envelope{0.045, 0.8, 0.82, 0.16},
	}.Play
	SoftFlute = Wind{
		Harmonics: []float64{1, 0.22, 0.07, 0.015}, Breath: 0.006, Vibrato: 10,
		Loudness: Envelope{0.12, 1.4, 0.85, 0.4},
	}.Play
)

// Play is the wind as an Instrument.
func (w Wind) Play(rate float64, t Tone) Stereo {
	out := make([]float64, frames(rate, t.Hold+w.Loudness.Release))
	sway := vibrato{4.7 + 0.3*t.Rand.Unit(), w.Vibrato, 0.3, 0}
	air := NewFilter(rate, 2*t.Freq, 0.5)
	strengths := make([]float64, len(w.Harmonics))
	increment := 0.0
	var tube oscillator
	for i := range out {
		s := float64(i) / rate
		level := w.Loudness.At(s, t.Hold)
		if i%controlEvery == 0 {
			scoop := cents(-24 * math.Exp(-s/0.035))
			increment = t.Freq * sway.at(s) * scoop / rate
			for k, strength := range w.Harmonics {
				// Overtones speak only with breath behind them.
				strengths[k] = strength * math.Pow(level*(0.5+0.5*t.Velocity), 0.6*float64(k))
			}
		}
		phase := tau * tube.step(increment)
		y := 0.0
		for k, strength := range strengths {
			y += strength * math.Sin(float64(k+1)*phase)
		}
		y += w.Breath * (1 + 2.5*math.Exp(-s/0.05)) * air.Band(t.Rand.Both())
		out[i] = 0.6 * t.Velocity * level * y
	}
	return Mono(out)
}
