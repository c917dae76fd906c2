package mp3

// scaleFactors holds the scale factors of one channel in one granule by the segments of its block
// type. Segments after the last transmitted one are 0.
type scaleFactors struct {
	value [maxSegments]uint8
	// positions is, for each segment, the number of values that are intensity positions; the others
	// mean that intensity stereo is not used.
	positions [maxSegments]uint8
}

// allPositions means that every value is a position.
const allPositions = 255

// scalefacBits lists the lengths in bits of the lower and upper scale factors by MPEG-1's
// scalefac_compress.
var scalefacBits = [16][2]int{
	{0, 0}, {0, 1}, {0, 2}, {0, 3}, {3, 0}, {1, 1}, {1, 2}, {1, 3},
	{2, 1}, {2, 2}, {2, 3}, {3, 1}, {3, 2}, {3, 3}, {4, 2}, {4, 3},
}

// sharedGroups are the bounds of the groups of long bands that the second granule may share with
// the first.
var sharedGroups = [5]int{0, 6, 11, 16, 21}

// read parses the scale factors of a granule of MPEG-1. first holds those of the same channel in
// the frame's first granule if this is the second, else nil.
func (s *scaleFactors) read(r *bitReader, c *channelInfo, first *scaleFactors, shared *[4]bool) {
	lower, upper := scalefacBits[c.scalefacCompress][0], scalefacBits[c.scalefacCompress][1]
	if c.block == shortBlock {
		counts := [2]int{18, 18}
		if c.mixed {
			counts[0] = 17
		}
		n := s.fill(r, 0, counts[0], lower)
		n = s.fill(r, n, counts[1], upper)
		s.clearFrom(n)
	} else {
		for group, taken := range shared {
			from, to := sharedGroups[group], sharedGroups[group+1]
			if first != nil && taken {
				copy(s.value[from:to], first.value[from:to])
				continue
			}
			width := lower
			if group >= 2 {
				width = upper
			}
			s.fill(r, from, to-from, width)
		}
		s.clearFrom(sharedGroups[4])
	}
	for i := range s.positions {
		s.positions[i] = 7
	}
}

// lsfCounts are the numbers of scale factors in the four parts of a granule at the lower
// sampling frequencies: by layout, then long, short and mixed blocks.
var lsfCounts = [6][3][4]int{
	{{6, 5, 5, 5}, {9, 9, 9, 9}, {6, 9, 9, 9}},
	{{6, 5, 7, 3}, {9, 9, 12, 6}, {6, 9, 12, 6}},
	{{11, 10, 0, 0}, {18, 18, 0, 0}, {15, 18, 0, 0}},
	{{7, 7, 7, 0}, {12, 12, 12, 0}, {6, 15, 12, 0}},
	{{6, 6, 6, 3}, {12, 9, 9, 6}, {6, 12, 9, 6}},
	{{8, 8, 5, 0}, {15, 12, 9, 0}, {6, 18, 9, 0}},
}

// readLSF parses the scale factors of a granule of MPEG-2 or 2.5 and sets the channel's preflag,
// which is part of scalefac_compress there. positions is set for the right channel in intensity
// stereo, whose scale factors are positions.
func (s *scaleFactors) readLSF(r *bitReader, c *channelInfo, positions bool) {
	layout, width := lsfLayout(c.scalefacCompress, positions)
	c.preflag = layout == 2
	kind := 0
	if c.block == shortBlock {
		kind = 1
		if c.mixed {
			kind = 2
		}
	}
	n := 0
	for part, count := range lsfCounts[layout][kind] {
		legal := uint8(allPositions)
		if width[part] > 0 {
			legal = 1<<width[part] - 1
		}
		for i := n; i < n+count; i++ {
			s.positions[i] = legal
		}
		n = s.fill(r, n, count, width[part])
	}
	for i := n; i < maxSegments; i++ {
		s.positions[i] = allPositions
	}
	s.clearFrom(n)
}

// lsfLayout parses scalefac_compress: the row of lsfCounts and the length in bits of each part.
func lsfLayout(v int, positions bool) (layout int, width [4]int) {
	if positions {
		v >>= 1
		switch {
		case v < 180:
			return 3, [4]int{v / 36, (v % 36) / 6, v % 6}
		case v < 244:
			v -= 180
			return 4, [4]int{v >> 4, v >> 2 & 3, v & 3}
		default:
			v -= 244
			return 5, [4]int{v / 3, v % 3}
		}
	}
	switch {
	case v < 400:
		return 0, [4]int{(v >> 4) / 5, (v >> 4) % 5, v >> 2 & 3, v & 3}
	case v < 500:
		v -= 400
		return 1, [4]int{(v >> 2) / 5, (v >> 2) % 5, v & 3}
	default:
		v -= 500
		return 2, [4]int{v / 3, v % 3}
	}
}

// fill parses count values of width bits from segment n on and returns the segment after them.
func (s *scaleFactors) fill(r *bitReader, n, count, width int) int {
	for i := n; i < n+count; i++ {
		s.value[i] = uint8(r.bits(width))
	}
	return n + count
}

func (s *scaleFactors) clearFrom(n int) { clear(s.value[n:]) }
