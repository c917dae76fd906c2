package synth

import "math"

// Envelope is the shape of a tone's loudness, in seconds: a smooth attack to 1, an
// exponential fall towards Sustain, and after the hold a release that ends in true zero.
type Envelope struct{ Attack, Decay, Sustain, Release float64 }

// At is the level after t seconds of a tone held for hold seconds.
func (e Envelope) At(t, hold float64) float64 {
	if t <= hold {
		return e.held(t)
	}
	left := 1 - (t-hold)/e.Release
	if left <= 0 {
		return 0
	}
	return e.held(hold) * left * left
}

func (e Envelope) held(t float64) float64 {
	if t < e.Attack {
		return 0.5 - 0.5*math.Cos(math.Pi*t/e.Attack)
	}
	return e.Sustain + (1-e.Sustain)*math.Exp(-(t-e.Attack)/e.Decay)
}

// shape multiplies samples with the envelope in place.
func (e Envelope) shape(rate float64, samples []float64, hold float64) {
	for i := range samples {
		samples[i] *= e.At(float64(i)/rate, hold)
	}
}
