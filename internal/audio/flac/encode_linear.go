package flac

import "math"

const (
	maxLinear     = 8  // order of a linear predictor
	coefPrecision = 15 // bits of a coefficient
	maxShift      = 15
)

// predictor returns the coefficients of the linear predictor that seems to need the fewest bits,
// and its order; 0 if there is none. It solves the normal equations of the windowed samples by
// Levinson and Durbin's recursion.
func (c *subframeCoder) predictor(s []int32, depth int) (best [maxLinear]float64, order int) {
	sums := c.autocorrelation(s)
	if sums[0] <= 0 {
		return best, 0
	}
	var coef [maxLinear]float64
	left := sums[0] // energy of the residual
	fewest := math.Inf(1)
	n := float64(len(s))
	for i := range maxLinear {
		reflection := sums[i+1]
		for j := range i {
			reflection -= coef[j] * sums[i-j]
		}
		reflection /= left
		next := coef
		next[i] = reflection
		for j := range i {
			next[j] = coef[j] - reflection*coef[i-1-j]
		}
		coef = next
		left *= 1 - reflection*reflection
		if !(left > 0) { // also NaN
			return best, order
		}
		need := n*max(0, 0.5*math.Log2(left/(2*n))) + float64((i+1)*(depth+coefPrecision))
		if need < fewest {
			fewest, best, order = need, coef, i+1
		}
	}
	return best, order
}

// autocorrelation returns the sums of products of the windowed samples at distances 0 to maxLinear.
func (c *subframeCoder) autocorrelation(s []int32) (sums [maxLinear + 1]float64) {
	n := len(s)
	if len(c.window) != n {
		c.window = make([]float64, n)
		middle, half := float64(n-1)/2, float64(n+1)/2
		for i := range c.window {
			x := (float64(i) - middle) / half
			c.window[i] = 1 - x*x
		}
		c.weighted = make([]float64, n)
	}
	for i, v := range s {
		c.weighted[i] = float64(v) * c.window[i]
	}
	for lag := range sums {
		var even, odd float64 // two sums, so that the processor need not wait
		a, b := c.weighted[lag:], c.weighted[:n-lag]
		i := 0
		for ; i+1 < len(a) && i+1 < len(b); i += 2 {
			even += a[i] * b[i]
			odd += a[i+1] * b[i+1]
		}
		if i < len(a) {
			even += a[i] * b[i]
		}
		sums[lag] = even + odd
	}
	return sums
}

// quantize rounds coefficients to integers that are shifted right after use. The error of each is
// added to the next one. ok is false if they are too large, or all zero.
func quantize(coef []float64, whole []int32) (shift uint, ok bool) {
	greatest := 0.0
	for _, v := range coef {
		greatest = max(greatest, math.Abs(v))
	}
	_, exponent := math.Frexp(greatest)
	places := min(coefPrecision-1-exponent, maxShift)
	if places < 0 || greatest == 0 {
		return 0, false
	}
	const limit = 1 << (coefPrecision - 1)
	carried := 0.0
	for i, v := range coef {
		carried += math.Ldexp(v, places)
		rounded := max(-limit, min(limit-1, math.Round(carried)))
		whole[i] = int32(rounded)
		carried -= rounded
	}
	return uint(places), true
}
