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
	roots    []complex128 // e^(−2πik/n) for k < n/2
	reversed []int
	work     []complex128
	dct      []float32
}

func newMDCT(block int) *mdct {
	half, n := block/2, block/4
	m := &mdct{
		twist:    make([]complex128, n),
		roots:    make([]complex128, n/2),
		reversed: make([]int, n),
		work:     make([]complex128, n),
		dct:      make([]float32, half),
	}
	for i := range m.twist {
		m.twist[i] = cmplx.Rect(1, -math.Pi*(float64(i)+0.125)/float64(half))
	}
	for i := range m.roots {
		m.roots[i] = cmplx.Rect(1, -2*math.Pi*float64(i)/float64(n))
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
	for i, w := range m.work {
		w *= m.twist[i]
		m.dct[2*i] = float32(real(w))
		m.dct[half-1-2*i] = float32(-imag(w))
	}
	// The block is the DCT unfolded by its symmetries.
	quarter := half / 2
	copy(out[:quarter], m.dct[quarter:])
	for i := range half {
		out[quarter+i] = -m.dct[half-1-i]
	}
	for i := range quarter {
		out[half+quarter+i] = -m.dct[i]
	}
}

// transform is the discrete Fourier transform of work, whose input is in bit-reversed order.
func (m *mdct) transform() {
	for size := 2; size <= len(m.work); size *= 2 {
		step := len(m.work) / size
		for start := 0; start < len(m.work); start += size {
			low := m.work[start : start+size/2]
			high := m.work[start+size/2 : start+size][:len(low)]
			root := 0
			for i := range low {
				turned := high[i] * m.roots[root]
				low[i], high[i] = low[i]+turned, low[i]-turned
				root += step
			}
		}
	}
}
