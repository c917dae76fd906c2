package studio

import (
	"math"

	"waxwing/composer/synth"
)

// Effect changes a track in place.
type Effect func(rate float64, track synth.Stereo)

// LowPass takes away what lies above a cutoff, gently.
func LowPass(cutoff float64) Effect {
	return filtered(func(f *synth.Filter, x float64) float64 { return f.Low(x) }, cutoff)
}

// HighPass takes away what lies below a cutoff, gently.
func HighPass(cutoff float64) Effect {
	return filtered(func(f *synth.Filter, x float64) float64 { return f.High(x) }, cutoff)
}

func filtered(output func(*synth.Filter, float64) float64, cutoff float64) Effect {
	return func(rate float64, track synth.Stereo) {
		for _, side := range [][]float64{track.L, track.R} {
			f := synth.NewFilter(rate, cutoff, 0.3)
			for i, x := range side {
				side[i] = output(f, x)
			}
		}
	}
}

// Sweep is a low-pass that glides between two cutoffs over a span of seconds.
func Sweep(from, to, start, end float64) Effect {
	return func(rate float64, track synth.Stereo) {
		for _, side := range [][]float64{track.L, track.R} {
			f := synth.NewFilter(rate, from, 0.35)
			for i, x := range side {
				if i%32 == 0 {
					progress := min(1, max(0, (float64(i)/rate-start)/(end-start)))
					f.Tune(from * math.Pow(to/from, progress))
				}
				side[i] = f.Low(x)
			}
		}
	}
}

// Resonance is one peak of an instrument's body.
type Resonance struct{ Freq, Gain, Width float64 }

// Body lets the track ring in the resonances of a wooden box: Gain is how much of each
// band is added, Width its share of an octave.
func Body(peaks ...Resonance) Effect {
	return func(rate float64, track synth.Stereo) {
		for _, side := range [][]float64{track.L, track.R} {
			boosted := make([]float64, len(side))
			for _, peak := range peaks {
				f := synth.NewFilter(rate, peak.Freq, 1-min(1, peak.Width))
				for i, x := range side {
					boosted[i] += peak.Gain * f.Band(x)
				}
			}
			for i := range side {
				side[i] += boosted[i]
			}
		}
	}
}

// Tremolo sways the track between the sides, as the amplifier of an electric piano does.
func Tremolo(speed, depth float64) Effect {
	return func(rate float64, track synth.Stereo) {
		for i := range track.L {
			sway := depth * math.Sin(2*math.Pi*speed*float64(i)/rate)
			track.L[i] *= 1 - sway
			track.R[i] *= 1 + sway
		}
	}
}

// Chorus adds copies of the track whose pitch drifts a little, apart on both sides.
func Chorus(mix float64) Effect {
	return func(rate float64, track synth.Stereo) {
		for k, side := range [][]float64{track.L, track.R} {
			dry := append([]float64(nil), side...)
			for i := range side {
				drift := math.Sin(2*math.Pi*0.31*float64(i)/rate + float64(k)*2.2)
				side[i] += mix * between(dry, float64(i)-rate*(0.014+0.0035*drift))
			}
		}
	}
}

// Wow is the slow pitch drift of a tired tape.
func Wow(depthSeconds float64) Effect {
	return func(rate float64, track synth.Stereo) {
		for _, side := range [][]float64{track.L, track.R} {
			dry := append([]float64(nil), side...)
			for i := range side {
				s := float64(i) / rate
				drift := math.Sin(2*math.Pi*0.55*s) + 0.4*math.Sin(2*math.Pi*1.7*s+1)
				side[i] = between(dry, float64(i)-rate*depthSeconds*(1.5+drift))
			}
		}
	}
}

// Drive bends the peaks of the track as a valve does; amount 1 is mild.
func Drive(amount float64) Effect {
	return func(_ float64, track synth.Stereo) {
		for _, side := range [][]float64{track.L, track.R} {
			for i, x := range side {
				side[i] = math.Tanh(amount*x) / amount
			}
		}
	}
}

// between reads samples at a place between two of them, by a cubic through four.
func between(samples []float64, at float64) float64 {
	i := int(math.Floor(at))
	if i < 1 || i+2 >= len(samples) {
		return 0
	}
	x := at - float64(i)
	a, b, c, d := samples[i-1], samples[i], samples[i+1], samples[i+2]
	return b + 0.5*x*(c-a+x*(2*a-5*b+4*c-d+x*(3*(b-c)+d-a)))
}
