package mp3

import "math"

// tabledPowers is the number of powers in the table; larger values are rare and are computed.
const tabledPowers = 1024

var powers = func() (t [tabledPowers]float32) {
	for x := range t {
		t[x] = float32(float64(x) * math.Cbrt(float64(x)))
	}
	return t
}()

// fourThirds returns x^(4/3) for x >= 0.
func fourThirds(x int) float32 {
	if x < tabledPowers {
		return powers[x]
	}
	return float32(float64(x) * math.Cbrt(float64(x)))
}

// quarterPowers are 2^(i/4).
var quarterPowers = [4]float32{1, 1.189207115002721, math.Sqrt2, 1.6817928305074292}

// gain returns 2^(quarters/4). Every exponent that a stream can contain is within float32's normal
// range: from (0-210-56-136)/4 to (255-210)/4.
func gain(quarters int) float32 {
	return quarterPowers[quarters&3] * math.Float32frombits(uint32(quarters>>2+127)<<23)
}

// preemphasis is added to the scale factors of long bands when preflag is set.
var preemphasis = [longBands]int{11: 1, 1, 1, 1, 2, 2, 3, 3, 3, 2}

// requantize scales the lines below count by the channel's gains, in place.
func requantize(lines *[granuleLines]float32, count int, c *channelInfo, s *scaleFactors, segments []segment) {
	for i, seg := range segments {
		if seg.start >= count {
			return
		}
		steps := int(s.value[i])
		quarters := c.globalGain - 210
		if seg.window == longWindow {
			if c.preflag {
				steps += preemphasis[seg.band]
			}
		} else {
			quarters -= 8 * c.subblockGain[seg.window]
		}
		g := gain(quarters - steps<<c.scaleShift)
		band := lines[seg.start:min(seg.end, count)]
		for k := range band {
			band[k] *= g
		}
	}
}

// interleave sorts the lines of short blocks from the order of the bit stream (window by window
// within each band) to that of the transform: line by line, three windows together.
func interleave(lines *[granuleLines]float32, segments []segment) {
	var sorted [granuleLines]float32
	first := 0
	for segments[first].window == longWindow {
		first++
	}
	for i := first; i < len(segments); i += 3 {
		start, width := segments[i].start, segments[i].end-segments[i].start
		for window := range 3 {
			from := lines[segments[i+window].start:segments[i+window].end]
			to := sorted[start+window : start+3*width]
			for k, v := range from {
				to[3*k] = v
			}
		}
	}
	start := segments[first].start
	copy(lines[start:], sorted[start:])
}
