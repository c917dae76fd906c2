package vorbis

import (
	"math"
	"math/bits"
	"math/cmplx"
)

// mdct is the inverse transform of one block size: half a block of spectrum to a block of samples.
// It computes a type IV DCT by a complex transform of a quarter of the block's length, in double
// precision.
type mdct struct {
	twist    []complex128 // turns the input of the transform and its output
	passes   []pass
	reversed []int
	work     []complex128
}

// pass combines four transforms of a quarter of a size to one of that size. first and second are
// e^(−2πik/n) for the half and for the whole size, for k below the quarter.
type pass struct{ first, second []complex128 }

func newPass(quarter int) pass {
	p := pass{make([]complex128, quarter), make([]complex128, quarter)}
	for k := range quarter {
		p.first[k] = cmplx.Rect(1, -math.Pi*float64(k)/float64(quarter))
		p.second[k] = cmplx.Rect(1, -math.Pi*float64(k)/float64(2*quarter))
	}
	return p
}

func newMDCT(block int) *mdct {
	half, n := block/2, block/4
	m := &mdct{
		twist:    make([]complex128, n),
		reversed: make([]int, n),
		work:     make([]complex128, n),
	}
	for i := range m.twist {
		m.twist[i] = cmplx.Rect(1, -math.Pi*(float64(i)+0.125)/float64(half))
	}
	for quarter := 1 + bits.Len(uint(n-1))%2; quarter < n; quarter *= 4 {
		m.passes = append(m.passes, newPass(quarter))
	}
	for i := range m.reversed {
		m.reversed[i] = int(bits.Reverse(uint(i)) >> (bits.UintSize - bits.Len(uint(n-1))))
	}
	return m
}

// inverse fills out, a whole block, from spectrum, half a block.
func (m *mdct) inverse(spectrum, out []float32) {
	half := len(spectrum)
	for i, to := range m.reversed {
		m.work[to] = complex(float64(spectrum[2*i]), float64(spectrum[half-1-2*i])) * m.twist[i]
	}
	m.transform()
	// The results are the coefficients of the DCT, even ones from the front and odd ones from the
	// back. The block is the DCT unfolded by its symmetries: each coefficient is in two places.
	quarter := half / 2
	twist := m.twist[:len(m.work)]
	for i, w := range m.work[:quarter/2] {
		w *= twist[i]
		front, back := float32(real(w)), float32(imag(w))
		out[quarter+half-1-2*i], out[half+quarter+2*i] = -front, -front
		out[quarter-1-2*i], out[quarter+2*i] = -back, back
	}
	for i := quarter / 2; i < quarter; i++ {
		w := m.work[i] * twist[i]
		front, back := float32(real(w)), float32(imag(w))
		out[2*i-quarter], out[quarter+half-1-2*i] = front, -front
		out[quarter+2*i], out[half+quarter+half-1-2*i] = back, back
	}
}

// transform is the discrete Fourier transform of work, whose input is in bit-reversed order. Every
// pass does the work of two of the textbook's, which reads and writes memory half as often.
func (m *mdct) transform() {
	if bits.Len(uint(len(m.work)-1))%2 == 1 {
		for i := 0; i+1 < len(m.work); i += 2 {
			a, b := m.work[i], m.work[i+1]
			m.work[i], m.work[i+1] = a+b, a-b
		}
	}
	for _, p := range m.passes {
		quarter := len(p.first)
		for start := 0; start < len(m.work); start += 4 * quarter {
			part := m.work[start : start+4*quarter]
			p.combine(part[:quarter], part[quarter:2*quarter], part[2*quarter:3*quarter], part[3*quarter:])
		}
	}
}

// combine transforms the four quarters in place.
func (p pass) combine(a, b, c, d []complex128) {
	n := len(p.first)
	second := p.second[:n]
	a, b, c, d = a[:n], b[:n], c[:n], d[:n]
	for i, first := range p.first {
		x, y := b[i]*first, d[i]*first
		even, odd := a[i]+x, a[i]-x
		far, farOdd := (c[i]+y)*second[i], (c[i]-y)*second[i]
		farOdd = complex(imag(farOdd), -real(farOdd)) // a quarter turn
		a[i], c[i] = even+far, even-far
		b[i], d[i] = odd+farOdd, odd-farOdd
	}
}
