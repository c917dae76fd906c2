package mp3

import "math"

const (
	// windowSlots is the number of slots of 32 subband samples that contribute to each output.
	windowSlots = 16
	pastSlots   = windowSlots - 1
)

// synthesis is the polyphase filter bank of one channel.
//
// The standard's matrixing is a DCT-II of 32 points, unfolded with signs. history keeps the
// transform of each slot, coefficient by coefficient over time, so that windowing reads contiguous
// values: the last 15 slots of the previous granule, then the 18 of this one.
type synthesis struct {
	history [subbands][pastSlots + granuleSlots]float32
}

// pairWindows holds for outputs j and 32-j the window values of the 16 slots, oldest first and the
// signs of the unfolding included: 0 to 15 for output j, 16 to 31 for 32-j.
// Row 0 holds those of outputs 0 and 16.
var pairWindows = func() (t [subbands / 2][2 * windowSlots]float32) {
	d := func(i int) float64 {
		if i > 256 {
			v := float64(halfWindow[512-i]) / 65536
			if i&63 != 0 {
				v = -v
			}
			return v
		}
		return float64(halfWindow[i]) / 65536
	}
	for j := range t {
		for ago := range windowSlots {
			base, slot := 64*(ago/2), pastSlots-ago
			if ago%2 == 0 {
				t[j][slot] = float32(d(base + j))
				if j > 0 {
					t[j][windowSlots+slot] = float32(-d(base + 32 - j))
				}
				continue
			}
			t[j][slot] = float32(-d(base + 32 + j))
			if j > 0 {
				t[j][windowSlots+slot] = float32(-d(base + 64 - j))
			} else {
				t[j][windowSlots+slot] = float32(-d(base + 48))
			}
		}
	}
	return t
}()

// run converts a granule's subband samples to 576 samples, written to every stride-th index of out.
func (s *synthesis) run(in *subbandSamples, out []float32, stride int) {
	for m := range s.history {
		h := &s.history[m]
		copy(h[:pastSlots], h[granuleSlots:])
	}
	for slot := range in {
		s.transform(&in[slot], slot)
	}
	// Outputs 0 and 16 need one coefficient each.
	w := &pairWindows[0]
	for slot := range granuleSlots {
		a := (*[windowSlots]float32)(s.history[16][slot:])
		b := (*[windowSlots]float32)(s.history[0][slot:])
		var x, y float32
		for i := 0; i < windowSlots; i += 2 {
			x += a[i]*w[i] + a[i+1]*w[i+1]
			y += b[i] * w[windowSlots+i]
		}
		out[slot*subbands*stride] = x
		out[(slot*subbands+16)*stride] = y
	}
	// Outputs j and 32-j share coefficients: 16+j of the even slots, counted back, 16-j of the odd
	// ones.
	for j := 1; j < subbands/2; j++ {
		w := &pairWindows[j]
		rowA, rowB := &s.history[16+j], &s.history[16-j]
		for slot := range granuleSlots {
			a := (*[windowSlots]float32)(rowA[slot:])
			b := (*[windowSlots]float32)(rowB[slot:])
			x := b[0]*w[0] + b[2]*w[2] + b[4]*w[4] + b[6]*w[6] + b[8]*w[8] + b[10]*w[10] + b[12]*w[12] + b[14]*w[14]
			y := b[0]*w[16] + b[2]*w[18] + b[4]*w[20] + b[6]*w[22] + b[8]*w[24] + b[10]*w[26] + b[12]*w[28] + b[14]*w[30]
			x += a[1]*w[1] + a[3]*w[3] + a[5]*w[5] + a[7]*w[7] + a[9]*w[9] + a[11]*w[11] + a[13]*w[13] + a[15]*w[15]
			y += a[1]*w[17] + a[3]*w[19] + a[5]*w[21] + a[7]*w[23] + a[9]*w[25] + a[11]*w[27] + a[13]*w[29] + a[15]*w[31]
			out[(slot*subbands+j)*stride] = x
			out[(slot*subbands+32-j)*stride] = y
		}
	}
}

// halfSecants returns 1/(2cos((2i+1)π/2n)), the factors of one step of Lee's DCT.
func halfSecants(n int) []float32 {
	t := make([]float32, n/2)
	for i := range t {
		t[i] = float32(1 / (2 * math.Cos(float64(2*i+1)*math.Pi/float64(2*n))))
	}
	return t
}

var (
	secants32 = [16]float32(halfSecants(32))
	secants16 = [8]float32(halfSecants(16))
)

// transform writes the DCT-II of a slot into the history. It follows Lee: the sums of mirrored
// inputs give the even outputs, the scaled differences the odd ones as sums of neighbours, down to
// transforms of eight points.
func (s *synthesis) transform(in *[subbands]float32, slot int) {
	var half [2][16]float32
	for i := range 16 {
		a, b := in[i], in[31-i]
		half[0][i] = a + b
		half[1][i] = (a - b) * secants32[i]
	}
	var full [2][16]float32
	for k := range half {
		h := &half[k]
		var sum, diff [8]float32
		for i := range 8 {
			a, b := h[i], h[15-i]
			sum[i] = a + b
			diff[i] = (a - b) * secants16[i]
		}
		eight(&sum)
		eight(&diff)
		f := &full[k]
		for i := range 7 {
			f[2*i] = sum[i]
			f[2*i+1] = diff[i] + diff[i+1]
		}
		f[14], f[15] = sum[7], diff[7]
	}
	at := pastSlots + slot
	even, odd := &full[0], &full[1]
	for i := range 15 {
		s.history[2*i][at] = even[i]
		s.history[2*i+1][at] = odd[i] + odd[i+1]
	}
	s.history[30][at], s.history[31][at] = even[15], odd[15]
}

// eight is the DCT-II of eight points, in place.
func eight(x *[8]float32) {
	const (
		// 1/(2cos((2i+1)π/16)), 1/(2cos((2i+1)π/8)) and 1/(2cos(π/4)).
		s0 = 0.50979557910415916894
		s1 = 0.60134488693504528054
		s2 = 0.89997622313641570464
		s3 = 2.56291544774150617879
		t0 = 0.54119610014619698440
		t1 = 1.30656296487637652785
		u  = 0.70710678118654752440
	)
	a0, a1, a2, a3 := x[0]+x[7], x[1]+x[6], x[2]+x[5], x[3]+x[4]
	b0, b1, b2, b3 := (x[0]-x[7])*s0, (x[1]-x[6])*s1, (x[2]-x[5])*s2, (x[3]-x[4])*s3
	a0, a3 = a0+a3, (a0-a3)*t0
	a1, a2 = a1+a2, (a1-a2)*t1
	b0, b3 = b0+b3, (b0-b3)*t0
	b1, b2 = b1+b2, (b1-b2)*t1
	// Even outputs of the two halves of four, then the odd ones.
	a0, a1 = a0+a1, (a0-a1)*u
	a3, a2 = a3+a2, (a3-a2)*u
	b0, b1 = b0+b1, (b0-b1)*u
	b3, b2 = b3+b2, (b3-b2)*u
	a3 += a2
	b3 += b2
	x[0], x[2], x[4], x[6] = a0, a3, a1, a2
	x[1], x[3], x[5], x[7] = b0+b3, b3+b1, b1+b2, b2
}
