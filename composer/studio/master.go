package studio

import (
	"math"

	"waxwing/composer/synth"
)

// Target is the loudness of every recording in LUFS; ceiling the highest sample, with
// room above it for what lossy encoders add.
const (
	Target  = -16.0
	ceiling = 0.80
)

// normalized brings a recording to Target. The limiter takes some loudness away where
// it acts, so the gain is found in a few rounds.
func normalized(rate float64, s synth.Stereo) synth.Stereo {
	gain := decibels(Target - Loudness(rate, s))
	var out synth.Stereo
	for range 4 {
		out = synth.Silence(s.Len())
		add(out, s, gain)
		limit(rate, out)
		gain *= decibels(Target - Loudness(rate, out))
	}
	return out
}

// limit keeps every sample below the ceiling. It looks ahead, so its gain is already
// down when a peak arrives, and moves along a smooth curve, so it is not heard.
func limit(rate float64, s synth.Stereo) {
	ahead := int(0.004 * rate)
	needed := make([]float64, s.Len())
	for i := range needed {
		needed[i] = 1
		if peak := max(math.Abs(s.L[i]), math.Abs(s.R[i])); peak > ceiling {
			needed[i] = ceiling / peak
		}
	}
	lowest := windowMin(needed, ahead)
	recovery := math.Exp(-1 / (0.12 * rate))
	for i := 1; i < len(lowest); i++ {
		lowest[i] = min(lowest[i], 1-(1-lowest[i-1])*recovery)
	}
	// A mean over the window in which the minimum holds never exceeds what is needed.
	sum := float64(ahead) * lowest[0]
	for i := range lowest {
		sum += lowest[i] - lowest[max(0, i-ahead)]
		g := sum / float64(ahead)
		s.L[i] *= g
		s.R[i] *= g
	}
}

// windowMin is for each i the smallest of values[i : i+size].
func windowMin(values []float64, size int) []float64 {
	out := make([]float64, len(values))
	var candidates []int // indices with rising values
	for i := len(values) - 1; i >= 0; i-- {
		for len(candidates) > 0 && values[candidates[len(candidates)-1]] >= values[i] {
			candidates = candidates[:len(candidates)-1]
		}
		candidates = append(candidates, i)
		if candidates[0] >= i+size {
			candidates = candidates[1:]
		}
		out[i] = values[candidates[0]]
	}
	return out
}

// Peak is the largest sample.
func Peak(s synth.Stereo) float64 {
	peak := 0.0
	for i := range s.L {
		peak = max(peak, math.Abs(s.L[i]), math.Abs(s.R[i]))
	}
	return peak
}

// Quantized is the recording in 16 bits, interleaved, with triangular dither so that
// what is quieter than one step fades into a hiss instead of breaking up.
func Quantized(s synth.Stereo) []int16 {
	chance := synth.NewRand(16)
	out := make([]int16, 0, 2*s.Len())
	for i := range s.L {
		for _, x := range [2]float64{s.L[i], s.R[i]} {
			dither := chance.Unit() - chance.Unit()
			out = append(out, int16(math.Round(x*32767+dither)))
		}
	}
	return out
}
