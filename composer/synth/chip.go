package synth

import "math"

// Pulse is a game console's square voice; duty is the part of the period it is high.
func Pulse(duty float64, loudness Envelope) Instrument {
	return func(rate float64, t Tone) Stereo {
		out := make([]float64, frames(rate, t.Hold+loudness.Release))
		sway := vibrato{5.6, 14, 0.22, 0}
		var o oscillator
		for i := range out {
			s := float64(i) / rate
			increment := t.Freq * sway.at(s) / rate
			out[i] = 0.34 * t.Velocity * loudness.At(s, t.Hold) * pulse(o.step(increment), increment, duty)
		}
		return Mono(out)
	}
}

// ChipTriangle is the console's bass voice, in its sixteen steps softened by a filter
// where the steps would only hiss.
func ChipTriangle(rate float64, t Tone) Stereo {
	envelope := Envelope{Attack: 0.003, Decay: 1, Sustain: 1, Release: 0.02}
	out := make([]float64, frames(rate, t.Hold+envelope.Release))
	soft := NewFilter(rate, 4200, 0)
	var o oscillator
	for i := range out {
		triangle := 4*math.Abs(o.step(t.Freq/rate)-0.5) - 1
		stepped := (math.Floor(triangle*8) + 0.5) / 8
		out[i] = 0.6 * t.Velocity * envelope.At(float64(i)/rate, t.Hold) * soft.Low(stepped)
	}
	return Mono(out)
}

// ChipNoise is the console's drum voice: chance, held for a few samples, dying fast.
func ChipNoise(pitch, decay float64) Instrument {
	return func(rate float64, t Tone) Stereo {
		envelope := Envelope{Attack: 0.001, Decay: decay, Release: 0.02}
		out := make([]float64, frames(rate, 5*decay+envelope.Release))
		var o oscillator
		held, before := t.Rand.Both(), 0.0
		for i := range out {
			if p := o.step(pitch / rate); p < before {
				held = math.Copysign(0.6, t.Rand.Both())
			}
			before = o.phase
			out[i] = 0.5 * t.Velocity * envelope.At(float64(i)/rate, 5*decay) * held
		}
		return Mono(out)
	}
}
