package mp3

import (
	"math"
	"waxwing/internal/media/mpeg"
)

// decodeStereo converts joint stereo to left and right. counts are the numbers of lines of each
// channel that may be non-zero; they are updated.
func decodeStereo(h mpeg.Header, left, right *[granuleLines]float32, counts *[2]int, rightInfo *channelInfo,
	rightScale *scaleFactors, segments []segment) {
	if !h.MidSide && !h.Intensity {
		return
	}
	both := max(counts[0], counts[1])
	if !h.Intensity {
		midSide(left[:both], right[:both])
		counts[0], counts[1] = both, both
		return
	}
	ratios := &mpeg1Ratios
	if h.LSF {
		ratios = &lsfRatios[rightInfo.scalefacCompress&1]
	}
	bound := intensityBound(right, counts[1], segments)
	for i, seg := range segments {
		l, r := left[seg.start:seg.end], right[seg.start:seg.end]
		from := i
		// The last band has no scale factor and uses the previous one.
		if seg.window == longWindow && seg.band == longBands-1 {
			from--
		} else if seg.window != longWindow && seg.band == shortBands-1 {
			from -= 3
		}
		position := rightScale.value[from]
		if h.LSF && from < i && from <= bound[seg.window] {
			position = 0 // the previous one is not a position
		}
		if i > bound[seg.window] && position < rightScale.positions[from] {
			pan(l, r, ratios[position&31])
		} else if h.MidSide {
			midSide(l, r)
		}
	}
	counts[0], counts[1] = granuleLines, granuleLines
}

// intensityBound returns for each window the last non-zero segment of the right channel, or -1.
// Above it the right channel is not transmitted and intensity applies; in a mixed granule the long
// bands are below the lines of all windows.
func intensityBound(right *[granuleLines]float32, count int, segments []segment) (bound [4]int) {
	bound = [4]int{-1, -1, -1, -1}
	for i, seg := range segments {
		if seg.start >= count {
			break
		}
		for _, v := range right[seg.start:seg.end] {
			if v != 0 {
				bound[seg.window] = i
				break
			}
		}
	}
	bound[longWindow] = max(bound[0], bound[1], bound[2], bound[longWindow])
	return bound
}

// midSide converts sum and difference to left and right.
func midSide(l, r []float32) {
	const half = math.Sqrt2 / 2
	r = r[:len(l)]
	for i, m := range l {
		s := r[i]
		l[i], r[i] = (m+s)*half, (m-s)*half
	}
}

// pan spreads the one transmitted channel over two.
func pan(l, r []float32, ratio [2]float32) {
	r = r[:len(l)]
	for i, v := range l {
		l[i], r[i] = v*ratio[0], v*ratio[1]
	}
}

// mpeg1Ratios lists the parts of left and right by intensity position; 7 is not a position in
// MPEG-1.
var mpeg1Ratios = func() (t [32][2]float32) {
	for p := range 7 {
		sin, cos := math.Sincos(float64(p) * math.Pi / 12)
		t[p] = [2]float32{float32(sin / (sin + cos)), float32(cos / (sin + cos))}
	}
	return t
}()

// lsfRatios are those of MPEG-2 and 2.5, for both steps that scalefac_compress chooses from:
// odd positions attenuate the left, even ones the right.
var lsfRatios = func() (t [2][32][2]float32) {
	for scale := range t {
		step := math.Exp2(-float64(scale+1) / 4)
		for p := range t[scale] {
			weaker := float32(math.Pow(step, float64((p+1)/2)))
			if p%2 == 1 {
				t[scale][p] = [2]float32{weaker, 1}
			} else {
				t[scale][p] = [2]float32{1, weaker}
			}
		}
	}
	return t
}()
