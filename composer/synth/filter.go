package synth

import "math"

// Filter is a state-variable filter that stays stable while its cutoff moves.
type Filter struct {
	rate, g, k, low, band float64
}

// NewFilter is a filter at a cutoff in hertz; resonance 0 is flat, towards 1 it rings.
func NewFilter(rate, cutoff, resonance float64) *Filter {
	f := &Filter{rate: rate, k: 2 - 1.9*resonance}
	f.Tune(cutoff)
	return f
}

// Tune moves the cutoff.
func (f *Filter) Tune(cutoff float64) {
	f.g = math.Tan(math.Pi * min(cutoff, 0.45*f.rate) / f.rate)
}

// Step feeds one sample and returns what lies below, around and above the cutoff.
func (f *Filter) Step(x float64) (low, band, high float64) {
	high = (x - (f.g+f.k)*f.band - f.low) / (1 + f.g*(f.g+f.k))
	band = f.band + f.g*high
	low = f.low + f.g*band
	f.band = band + f.g*high
	f.low = low + f.g*band
	return low, band, high
}

// Low, Band and High feed one sample and return one of the outputs.
func (f *Filter) Low(x float64) float64  { y, _, _ := f.Step(x); return y }
func (f *Filter) Band(x float64) float64 { _, y, _ := f.Step(x); return f.k * y }
func (f *Filter) High(x float64) float64 { _, _, y := f.Step(x); return y }
