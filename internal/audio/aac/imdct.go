package aac

import (
	"math"
	"math/bits"
	"math/cmplx"
)

// transform is a discrete cosine transform of type IV, the core of the inverse MDCT. It is computed
// by a complex Fourier transform of half the length.
type transform struct {
	twist    []complex128 // rotates the input and output of the Fourier transform
	passes   [][]complex128
	reversed []int
	work     []complex128
}

// newTransform returns a transform of n lines, a power of two, whose output is multiplied by scale.
func newTransform(n int, scale float64) *transform {
	points := n / 2
	t := &transform{
		twist:    make([]complex128, points),
		reversed: make([]int, points),
		work:     make([]complex128, points),
	}
	for i := range t.twist {
		t.twist[i] = cmplx.Rect(math.Sqrt(scale), -math.Pi*(float64(i)+0.125)/float64(n))
	}
	width := bits.Len(uint(points - 1))
	for i := range t.reversed {
		t.reversed[i] = int(bits.Reverse(uint(i)) >> (bits.UintSize - width))
	}
	for quarter := 1 << (width % 2); quarter < points; quarter *= 4 {
		var roots []complex128
		for i := range quarter {
			turn := -math.Pi / 2 * float64(i) / float64(quarter)
			roots = append(roots, cmplx.Rect(1, turn), cmplx.Rect(1, 2*turn), cmplx.Rect(1, 3*turn))
		}
		t.passes = append(t.passes, roots)
	}
	return t
}

// run transforms lines into out, of the same length; they may be the same.
func (t *transform) run(lines, out []float64) {
	n := len(lines)
	for i, to := range t.reversed {
		t.work[to] = complex(lines[2*i], lines[n-1-2*i]) * t.twist[i]
	}
	if len(t.passes[0]) > 3 { // an odd power of two starts with pairs
		for i := 0; i < len(t.work); i += 2 {
			a, b := t.work[i], t.work[i+1]
			t.work[i], t.work[i+1] = a+b, a-b
		}
	}
	for _, roots := range t.passes {
		t.pass(roots)
	}
	out = out[:n]
	for i, w := range t.work {
		w *= t.twist[i]
		out[2*i] = real(w)
		out[n-1-2*i] = -imag(w)
	}
}

// pass combines each four neighbouring transforms into one four times as long. The input is in
// bit-reversed order, so the second of four has the even indexes that are not multiples of four.
func (t *transform) pass(roots []complex128) {
	quarter := len(roots) / 3
	for block := t.work; len(block) > 0; block = block[4*quarter:] {
		p := block[:quarter]
		q := block[quarter:][:len(p)]
		r := block[2*quarter:][:len(p)]
		s := block[3*quarter:][:len(p)]
		turn := roots
		for i, a := range p {
			b, c, d := q[i]*turn[1], r[i]*turn[0], s[i]*turn[2]
			turn = turn[3:]
			even, odd := a+b, a-b
			sum, quad := c+d, c-d
			quad = complex(imag(quad), -real(quad))
			p[i], q[i], r[i], s[i] = even+sum, odd+quad, even-sum, odd-quad
		}
	}
}
