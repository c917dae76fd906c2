package gauge

import (
	"cmp"
	"slices"
	"time"
)

// Percentile returns the p-th part of a hundred; nothing measured is zero.
func Percentile[T cmp.Ordered](values []T, p int) T {
	if len(values) == 0 {
		var none T
		return none
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)*p/100, len(sorted)-1)]
}

// Median is the middle of the values.
func Median(values []float64) float64 { return Percentile(values, 50) }

// Ratios divides what was measured in turn, round by round, so that noise which lasts longer than a round meets both.
func Ratios(ours, theirs []float64) []float64 {
	out := make([]float64, min(len(ours), len(theirs)))
	for i := range out {
		out[i] = ours[i] / theirs[i]
	}
	return out
}

// Millis and Micros are a duration as a number.
func Millis(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// Micros is a duration in microseconds.
func Micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
