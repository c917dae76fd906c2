package mp3

import (
	"math"
	"testing"

	"waxwing/internal/media/mpeg"
)

// stereoCase sets all lines of the left channel to 1 and rightLines of the right one to 0.5, and
// returns both after decodeStereo.
func stereoCase(h mpeg.Header, c *channelInfo, s *scaleFactors, rightLines ...int) (
	left, right [granuleLines]float32,
) {
	bands := newBandTable(longWidths[h.RateIndex], shortWidths[h.RateIndex], h.LSF)
	for i := range left {
		left[i] = 1
	}
	count := 0
	for _, i := range rightLines {
		right[i] = 0.5
		count = max(count, i+1)
	}
	counts := [2]int{granuleLines, count}
	decodeStereo(h, &left, &right, &counts, c, s, bands.segments(c))
	return left, right
}

func expect(t *testing.T, what string, line int, left, right [granuleLines]float32, l, r float64) {
	t.Helper()
	if math.Abs(float64(left[line])-l) > 1e-6 || math.Abs(float64(right[line])-r) > 1e-6 {
		t.Errorf("%s: line %d: got %v and %v, want %v and %v", what, line, left[line], right[line], l, r)
	}
}

func TestIntensityPositionsMPEG1(t *testing.T) {
	var s scaleFactors
	for i := range s.value {
		s.value[i], s.positions[i] = uint8(i%8), 7
	}
	left, right := stereoCase(mpeg.Header{Mode: mpeg.JointStereo, Intensity: true}, &channelInfo{}, &s, 2)
	// Band 0 has lines on the right and is unchanged; so is band 7, which has no position.
	expect(t, "below the bound", 2, left, right, 1, 0.5)
	expect(t, "no position", 32, left, right, 1, 0)
	for band, line := range map[int]int{1: 4, 2: 8, 3: 12, 4: 16, 5: 20, 6: 24} {
		ratio := math.Tan(float64(band) * math.Pi / 12)
		expect(t, "position", line, left, right, ratio/(1+ratio), 1/(1+ratio))
	}
	// Band 21 has no factor and uses that of band 20, which is 4.
	ratio := math.Tan(4 * math.Pi / 12)
	expect(t, "last band", 575, left, right, ratio/(1+ratio), 1/(1+ratio))
}

func TestIntensityPositionsLSF(t *testing.T) {
	for scale, step := range []float64{math.Exp2(-0.25), math.Exp2(-0.5)} {
		var s scaleFactors
		for i := range s.value {
			s.value[i], s.positions[i] = uint8(i%8), 7
		}
		h := mpeg.Header{RateIndex: 3, LSF: true, Mode: mpeg.JointStereo, Intensity: true, MidSide: true}
		left, right := stereoCase(h, &channelInfo{scalefacCompress: scale}, &s, 3)
		half := math.Sqrt2 / 2
		expect(t, "below the bound", 3, left, right, 1.5*half, 0.5*half)
		expect(t, "odd", 6, left, right, step, 1)
		expect(t, "even", 12, left, right, 1, step)
		expect(t, "odd", 30, left, right, math.Pow(step, 3), 1)
		expect(t, "even", 36, left, right, 1, math.Pow(step, 3))
		expect(t, "no position falls back to mid and side", 44, left, right, half, half)
	}
}

// If the band before the last one has lines on the right, its scale factor is not a position.
func TestLastBandWithoutPositionIsCenteredLSF(t *testing.T) {
	var s scaleFactors
	for i := range s.value {
		s.value[i], s.positions[i] = 4, 7
	}
	h := mpeg.Header{RateIndex: 3, LSF: true, Mode: mpeg.JointStereo, Intensity: true}
	left, right := stereoCase(h, &channelInfo{}, &s, 470) // band 20, of 22
	expect(t, "long block", 575, left, right, 1, 1)
	left, right = stereoCase(h, &channelInfo{block: shortBlock}, &s, 400, 440, 490) // band 11, of 13
	expect(t, "short block", 575, left, right, 1, 1)
	left, right = stereoCase(h, &channelInfo{}, &s, 400)
	expect(t, "position of the band before", 575, left, right, 1, math.Exp2(-0.5))
}

func TestIntensityBoundOfEachWindow(t *testing.T) {
	var s scaleFactors
	for i := range s.value {
		s.value[i], s.positions[i] = 6, 7 // all to the left
	}
	// At 44.1 kHz short band 5 begins at line 66 with 8 lines per window; the right channel has a
	// line in the second window.
	left, right := stereoCase(mpeg.Header{Mode: mpeg.JointStereo, Intensity: true},
		&channelInfo{block: shortBlock}, &s, 66+8)
	expect(t, "first window, everywhere intensity", 0, left, right, 1, 0)
	expect(t, "second window, below the bound", 66+8, left, right, 1, 0.5)
	s.value[33], s.value[34], s.value[35] = 0, 0, 0
	left, right = stereoCase(mpeg.Header{Mode: mpeg.JointStereo, Intensity: true}, &channelInfo{block: shortBlock},
		&s, 66+8)
	expect(t, "last band takes the factor of its window", 575, left, right, 0, 1)
	// Mixed blocks: if any window has lines, the long bands are below the bound.
	s.value[0] = 0 // would be all to the right
	left, right = stereoCase(mpeg.Header{Mode: mpeg.JointStereo, Intensity: true},
		&channelInfo{block: shortBlock, mixed: true}, &s, 66+8)
	expect(t, "long band of a mixed granule", 0, left, right, 1, 0)
	left, right = stereoCase(mpeg.Header{Mode: mpeg.JointStereo, Intensity: true},
		&channelInfo{block: shortBlock, mixed: true}, &s)
	expect(t, "long band of a mixed granule with nothing on the right", 0, left, right, 0, 1)
}

func TestLSFLayouts(t *testing.T) {
	for v := range 512 {
		for _, positions := range []bool{false, true} {
			layout, width := lsfLayout(v, positions)
			for kind, total := range []int{21, 36, 33} {
				sum := 0
				for _, n := range lsfCounts[layout][kind] {
					sum += n
				}
				if sum != total {
					t.Fatalf("factors of layout %d for block kind %d: got %d, want %d", layout, kind, sum, total)
				}
			}
			for _, w := range width {
				if w > 5 {
					t.Fatalf("scalefac_compress %d: got %d bits, want at most 5", v, w)
				}
			}
		}
	}
}
