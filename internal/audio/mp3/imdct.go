package mp3

import "math"

// foldedWindow is the window of a long block in the order of longTransform, multiplied by the last
// factor of the transform and the signs of the unfolding.
type foldedWindow [2 * subbandLines]float32

// longWindows lists the windows by block type; that of short blocks is empty.
var longWindows = func() (t [4]foldedWindow) {
	for _, block := range []blockType{longBlock, startBlock, stopBlock} {
		for i := range 2 * subbandLines {
			n, sign := unfold(i, subbandLines)
			t[block][i] = float32(sign * windowShape(block, i) / (2 * math.Cos(float64(2*n+1)*math.Pi/72)))
		}
	}
	return t
}()

// unfold returns the index and sign of the output of an n-point DCT-IV that is sample i of the
// inverse MDCT with 2n outputs.
func unfold(i, n int) (index int, sign float64) {
	switch k := i + n/2; {
	case k < n:
		return k, 1
	case k < 2*n:
		return 2*n - 1 - k, -1
	default:
		return k - 2*n, -1
	}
}

// windowShape is the window of ISO 11172-3, 2.4.3.4.10.3.
func windowShape(block blockType, i int) float64 {
	if block == stopBlock {
		return windowShape(startBlock, 35-i)
	}
	switch {
	case block == longBlock || i < 18:
		return math.Sin(math.Pi / 36 * (float64(i) + 0.5))
	case i < 24:
		return 1
	case i < 30:
		return math.Sin(math.Pi / 12 * (float64(i-18) + 0.5))
	default:
		return 0
	}
}

// oddFactors are 1/(2cos((2n+1)π/36)), which convert a DCT-III to a DCT-IV of nine points.
var oddFactors = func() (t [9]float32) {
	for n := range t {
		t[n] = float32(1 / (2 * math.Cos(float64(2*n+1)*math.Pi/36)))
	}
	return t
}()

// longTransform is the inverse MDCT of 18 lines with window and overlap: it writes 18 samples
// to out and stores the second half of the block in over.
//
// The transform is a DCT-IV y of 18 points, unfolded. Since 2cos(a)cos(b) = cos(a+b) + cos(a-b),
// y[n] times 2cos((2n+1)π/72) is the DCT-III of sums of neighbours; that splits into its even
// inputs, a DCT-III of nine points, and its odd ones, a DCT-IV of nine, where the same step applies
// again. The outer factor is part of the window.
func longTransform(in *[subbandLines]float32, window *foldedWindow, over, out *[subbandLines]float32) {
	// z[k] = in[k] + in[k-1]; even ones go to the first nine, sums of neighbouring odd ones to the
	// rest.
	z1 := in[1] + in[0]
	z3 := in[3] + in[2]
	z5 := in[5] + in[4]
	z7 := in[7] + in[6]
	z9 := in[9] + in[8]
	z11 := in[11] + in[10]
	z13 := in[13] + in[12]
	z15 := in[15] + in[14]
	z17 := in[17] + in[16]
	even := nine(in[0], in[2]+in[1], in[4]+in[3], in[6]+in[5], in[8]+in[7], in[10]+in[9], in[12]+in[11],
		in[14]+in[13], in[16]+in[15])
	odd := nine(z1, z3+z1, z5+z3, z7+z5, z9+z7, z11+z9, z13+z11, z15+z13, z17+z15)
	for n := range 9 {
		o := odd[n] * oddFactors[n]
		// low is y[n] and high y[17-n], both without their factor.
		low, high := even[n]+o, even[n]-o
		out[8-n] = high*window[8-n] + over[8-n]
		out[9+n] = high*window[9+n] + over[9+n]
		over[8-n] = low * window[26-n]
		over[9+n] = low * window[27+n]
	}
}

// nine is the DCT-III of nine points: z0 + Σ z[j] cos((2n+1)jπ/18).
func nine(z0, z1, z2, z3, z4, z5, z6, z7, z8 float32) [9]float32 {
	const (
		c1 = 0.98480775301220805937
		c2 = 0.93969262078590838405
		c3 = 0.86602540378443864676
		c4 = 0.76604444311897803520
		c5 = 0.64278760968653932632
		c7 = 0.34202014332566873304
		c8 = 0.17364817766693034885
	)
	// Outputs n and 8-n have the even terms in common and the odd ones with opposite signs.
	base := z0 + z6*0.5
	e0 := base + z2*c2 + z4*c4 + z8*c8
	e1 := z0 - z6 + (z2-z4-z8)*0.5
	e2 := base - z2*c8 - z4*c2 + z8*c4
	e3 := base - z2*c4 + z4*c8 - z8*c2
	e4 := z0 - z2 + z4 - z6 + z8
	t3 := z3 * c3
	o0 := z1*c1 + t3 + z5*c5 + z7*c7
	o1 := (z1 - z5 - z7) * c3
	o2 := z1*c5 - t3 - z5*c7 + z7*c1
	o3 := z1*c7 - t3 + z5*c1 - z7*c5
	return [9]float32{e0 + o0, e1 + o1, e2 + o2, e3 + o3, e4, e3 - o3, e2 - o2, e1 - o1, e0 - o0}
}

// shortMatrix is the DCT-IV of six points.
var shortMatrix = func() (t [6][6]float32) {
	for n := range t {
		for k := range t[n] {
			t[n][k] = float32(math.Cos(math.Pi / 24 * float64((2*n+1)*(2*k+1))))
		}
	}
	return t
}()

// shortWindow is the window of one short block with the signs of the unfolding.
var shortWindow = func() (t [12]float32) {
	for i := range t {
		_, sign := unfold(i, 6)
		t[i] = float32(sign * math.Sin(math.Pi/12*(float64(i)+0.5)))
	}
	return t
}()

// shortTransform is longTransform for three short blocks of six lines, which overlap within the
// 36 samples of the long block they stand for. They are too rare to be worth a faster transform.
func shortTransform(in *[subbandLines]float32, over, out *[subbandLines]float32) {
	var sum [2 * subbandLines]float32
	for w := range 3 {
		var y [6]float32
		for n := range y {
			m := &shortMatrix[n]
			y[n] = in[w]*m[0] + in[3+w]*m[1] + in[6+w]*m[2] + in[9+w]*m[3] + in[12+w]*m[4] + in[15+w]*m[5]
		}
		to := (*[12]float32)(sum[6+6*w:])
		for n := range 3 {
			to[n] += y[3+n] * shortWindow[n]
			to[3+n] += y[5-n] * shortWindow[3+n]
			to[6+n] += y[2-n] * shortWindow[6+n]
			to[9+n] += y[n] * shortWindow[9+n]
		}
	}
	for i := range out {
		out[i] = sum[i] + over[i]
		over[i] = sum[subbandLines+i]
	}
}
