package flac

import (
	"math"
	"math/bits"
)

// subframeCoder codes the samples of one channel in a block. Its fields are memory that is used
// again.
type subframeCoder struct {
	shifted, rest, other []int32
	window, weighted     []float64
}

// prediction is a way to code a block: a predictor and its residual.
type prediction struct {
	order     int
	linear    bool // coef are sent; otherwise the predictor is a fixed one
	coef      [maxLinear]int32
	precision uint
	shift     uint
	rest      []int32 // the residual, from the sample order on
	rice      riceCode
	bits      int // of all, estimated
}

// write appends the shortest coding of s that it finds.
func (c *subframeCoder) write(w *bitWriter, s []int32, depth uint) {
	var set int32
	constant := true
	for _, v := range s {
		set |= v
		constant = constant && v == s[0]
	}
	if constant {
		w.put(0, 8)
		w.put(uint64(s[0]), depth)
		return
	}
	wasted := uint(bits.TrailingZeros32(uint32(set))) // of all samples
	if wasted > 0 {
		s = c.shift(s, wasted)
		depth -= wasted
	}
	best := c.fixed(s, depth)
	if linear, ok := c.linear(s, depth); ok && linear.bits < best.bits {
		best = linear
	}
	kind := uint64(8 + best.order)
	switch {
	case best.bits >= len(s)*int(depth):
		kind = 1 // the samples as they are
	case best.linear:
		kind = uint64(31 + best.order)
	}
	if wasted > 0 {
		w.put(kind<<1|1, 8)
		w.put(1, wasted)
	} else {
		w.put(kind<<1, 8)
	}
	if kind == 1 {
		for _, v := range s {
			w.put(uint64(v), depth)
		}
		return
	}
	for _, v := range s[:best.order] {
		w.put(uint64(v), depth)
	}
	if best.linear {
		w.put(uint64(best.precision-1), 4)
		w.put(uint64(best.shift), 5)
		for _, v := range best.coef[:best.order] {
			w.put(uint64(v), best.precision)
		}
	}
	best.rice.write(w, best.rest, len(s), best.order)
}

// shift returns s without its lowest bits.
func (c *subframeCoder) shift(s []int32, by uint) []int32 {
	c.shifted = append(c.shifted[:0], s...)
	for i := range c.shifted {
		c.shifted[i] >>= by
	}
	return c.shifted
}

// fixed returns the coding with the best of the fixed predictors: differences of order 0 to 4.
func (c *subframeCoder) fixed(s []int32, depth uint) prediction {
	p := prediction{}
	if len(s) > 4 {
		var sums [5]int64
		d1, d2, d3 := int64(s[3]-s[2]), int64(s[3]-2*s[2]+s[1]), int64(s[3]-3*s[2]+3*s[1]-s[0])
		for i := 4; i < len(s); i++ {
			e0 := int64(s[i])
			e1 := e0 - int64(s[i-1])
			e2 := e1 - d1
			e3 := e2 - d2
			e4 := e3 - d3
			sums[0] += max(e0, -e0)
			sums[1] += max(e1, -e1)
			sums[2] += max(e2, -e2)
			sums[3] += max(e3, -e3)
			sums[4] += max(e4, -e4)
			d1, d2, d3 = e1, e2, e3
		}
		for order, sum := range sums {
			if sum < sums[p.order] {
				p.order = order
			}
		}
	}
	c.rest = append(c.rest[:0], s...)
	for order := range p.order { // each pass takes the differences of the one before
		for i := len(s) - 1; i > order; i-- {
			c.rest[i] -= c.rest[i-1]
		}
	}
	p.rest = c.rest[p.order:]
	p.rice = planRice(p.rest, len(s), p.order)
	p.bits = p.order*int(depth) + p.rice.bits
	return p
}

// linear returns the coding with a linear predictor. ok is false if there is none for these
// samples.
func (c *subframeCoder) linear(s []int32, depth uint) (p prediction, ok bool) {
	if len(s) <= 4*maxLinear {
		return p, false
	}
	coef, order := c.predictor(s, int(depth))
	if order == 0 {
		return p, false
	}
	p.order, p.linear, p.precision = order, true, coefPrecision
	if p.shift, ok = quantize(coef[:order], p.coef[:order]); !ok {
		return p, false
	}
	if c.other, ok = predict(c.other[:0], s, p.coef[:order], p.shift); !ok {
		return p, false
	}
	p.rest = c.other
	p.rice = planRice(p.rest, len(s), order)
	p.bits = order*int(depth) + 9 + order*int(p.precision) + p.rice.bits
	return p, true
}

// predict appends the residual of a linear predictor. ok is false if it does not fit in 32 bits.
func predict(rest, s, coef []int32, shift uint) (_ []int32, ok bool) {
	var wide int64
	for i := len(coef); i < len(s); i++ {
		var sum int64
		past := s[i-len(coef) : i]
		for j, k := range coef {
			sum += int64(k) * int64(past[len(past)-1-j])
		}
		r := int64(s[i]) - sum>>shift
		wide |= max(r, -r)
		rest = append(rest, int32(r))
	}
	return rest, wide <= math.MaxInt32
}
