package gauge

import (
	"cmp"
	"slices"
	"time"
)

// Percentile returns the p-th percentile, or zero if there are no values.
func Percentile[T cmp.Ordered](values []T, p int) T {
	if len(values) == 0 {
		var none T
		return none
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)*p/100, len(sorted)-1)]
}

// Median returns the 50th percentile.
func Median(values []float64) float64 { return Percentile(values, 50) }

// Ratios divides alternating measurements round by round, so that noise longer than a round affects
// both sides.
func Ratios(ours, theirs []float64) []float64 {
	out := make([]float64, min(len(ours), len(theirs)))
	for i := range out {
		out[i] = ours[i] / theirs[i]
	}
	return out
}

// Millis returns a duration in milliseconds.
func Millis(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// Micros returns a duration in microseconds.
func Micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
