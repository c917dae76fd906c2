package studio

import (
	"math"

	"waxwing/composer/synth"
)

// Loudness measures a recording in LUFS as ITU-R BS.1770-4 defines it: weighted like
// the ear, over blocks of 400 ms, without the quiet ones.
func Loudness(rate float64, s synth.Stereo) float64 {
	blocks := blockPowers(rate, s)
	absolute := gatedMean(blocks, math.Pow(10, (-70+0.691)/10))
	return -0.691 + 10*math.Log10(gatedMean(blocks, absolute/10))
}

func gatedMean(powers []float64, threshold float64) float64 {
	sum, n := 0.0, 0
	for _, p := range powers {
		if p > threshold {
			sum += p
			n++
		}
	}
	if n == 0 {
		return 1e-12
	}
	return sum / float64(n)
}

// blockPowers are the weighted powers of overlapping blocks, four begun per 400 ms.
func blockPowers(rate float64, s synth.Stereo) []float64 {
	hop := int(0.1 * rate)
	quarters := make([]float64, s.Len()/hop)
	for _, side := range [][]float64{s.L, s.R} {
		shelf, highpass := earShelf(rate), earHighPass(rate)
		for i := range len(quarters) * hop {
			y := highpass.step(shelf.step(side[i]))
			quarters[i/hop] += y * y / float64(hop)
		}
	}
	var blocks []float64
	for i := 3; i < len(quarters); i++ {
		blocks = append(blocks, (quarters[i]+quarters[i-1]+quarters[i-2]+quarters[i-3])/4)
	}
	return blocks
}

// biquad is a filter of second order.
type biquad struct{ b0, b1, b2, a1, a2, z1, z2 float64 }

func (f *biquad) step(x float64) float64 {
	y := f.b0*x + f.z1
	f.z1 = f.b1*x - f.a1*y + f.z2
	f.z2 = f.b2*x - f.a2*y
	return y
}

// earShelf is the first stage of the standard (the head), for any rate.
func earShelf(rate float64) *biquad {
	const freq, gain, q = 1681.974450955533, 3.999843853973347, 0.7071752369554196
	k := math.Tan(math.Pi * freq / rate)
	high := math.Pow(10, gain/20)
	band := math.Pow(high, 0.4996667741545416)
	a0 := 1 + k/q + k*k
	return &biquad{
		b0: (high + band*k/q + k*k) / a0, b1: 2 * (k*k - high) / a0, b2: (high - band*k/q + k*k) / a0,
		a1: 2 * (k*k - 1) / a0, a2: (1 - k/q + k*k) / a0,
	}
}

// earHighPass is the second stage of the standard, for any rate.
func earHighPass(rate float64) *biquad {
	const freq, q = 38.13547087602444, 0.5003270373238773
	k := math.Tan(math.Pi * freq / rate)
	a0 := 1 + k/q + k*k
	return &biquad{b0: 1, b1: -2, b2: 1, a1: 2 * (k*k - 1) / a0, a2: (1 - k/q + k*k) / a0}
}
