package aac

import (
	"math"
	"sync"
)

// tables are shared by all decoders.
type tables struct {
	scalefactors *codeTable
	spectrum     [11]spectrumBook // codebooks 1 to 11
	// cubes holds the value of a quantised line x, sign(x)·|x|^(4/3), at x+cubesMiddle.
	cubes [2 * cubesMiddle]float64
	// gains holds 2^(x/4) at x+gainsMiddle.
	gains [2 * gainsMiddle]float64
	// slopes are the rising halves of windows: sine and Kaiser-Bessel, long and short.
	slopes [2]struct{ long, short []float64 }
}

const (
	cubesMiddle = 1 << 13 // an escape is at most 8191
	gainsMiddle = 1 << 8  // factors, and the differences of two, stay within ±255
)

var loadTables = sync.OnceValue(func() *tables {
	t := &tables{scalefactors: newCodeTable(scalefactorCode)}
	for i := range t.spectrum {
		t.spectrum[i] = newSpectrumBook(i)
	}
	for i := range t.cubes {
		x := float64(i - cubesMiddle)
		t.cubes[i] = x * math.Cbrt(math.Abs(x))
	}
	for i := range t.gains {
		t.gains[i] = math.Exp2(float64(i-gainsMiddle) / 4)
	}
	t.slopes[0].long, t.slopes[0].short = sineSlope(frameLines), sineSlope(shortLines)
	t.slopes[1].long, t.slopes[1].short = kaiserSlope(frameLines, 4), kaiserSlope(shortLines, 6)
	return t
})

// sineSlope is the rising half of a sine window of 2n samples.
func sineSlope(n int) []float64 {
	slope := make([]float64, n)
	for i := range slope {
		slope[i] = math.Sin(math.Pi / float64(2*n) * (float64(i) + 0.5))
	}
	return slope
}

// kaiserSlope is the rising half of a Kaiser-Bessel derived window with the given alpha.
func kaiserSlope(n int, alpha float64) []float64 {
	slope := make([]float64, n)
	sum := 0.0
	kernel := func(i int) float64 {
		x := 2*float64(i)/float64(n) - 1
		return bessel(math.Pi * alpha * math.Sqrt(1-x*x))
	}
	for i := range slope {
		sum += kernel(i)
		slope[i] = sum
	}
	sum += kernel(n)
	for i := range slope {
		slope[i] = math.Sqrt(slope[i] / sum)
	}
	return slope
}

// bessel is the modified Bessel function of the first kind and order 0, by its series.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-18; k++ {
		term *= x / 2 / k * (x / 2 / k)
		sum += term
	}
	return sum
}
