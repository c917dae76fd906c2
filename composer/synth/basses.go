package synth

import "math"

// SubBass is a sine with a little warmth from being driven.
func SubBass(rate float64, t Tone) Stereo {
	envelope := Envelope{Attack: 0.012, Decay: 1.6, Sustain: 0.6, Release: 0.12}
	out := make([]float64, frames(rate, t.Hold+envelope.Release))
	var o oscillator
	for i := range out {
		x := math.Sin(tau * o.step(t.Freq/rate))
		out[i] = 0.75 * t.Velocity * envelope.At(float64(i)/rate, t.Hold) * math.Tanh(1.5*x+0.25*x*x) / 0.92
	}
	return Mono(out)
}

// ClubBass is a saw and a sine under a filter that shuts quickly: short and round.
func ClubBass(rate float64, t Tone) Stereo {
	envelope := Envelope{Attack: 0.004, Decay: 0.22, Sustain: 0.35, Release: 0.06}
	out := make([]float64, frames(rate, t.Hold+envelope.Release))
	filter := NewFilter(rate, 300, 0.25)
	var o oscillator
	for i := range out {
		s := float64(i) / rate
		increment := t.Freq / rate
		p := o.step(increment)
		filter.Tune(2.2*t.Freq + 900*t.Velocity*math.Exp(-s/0.07))
		y := filter.Low(0.6*saw(p, increment)) + 0.55*math.Sin(tau*p)
		out[i] = 0.8 * t.Velocity * envelope.At(s, t.Hold) * y
	}
	return Mono(out)
}
