package mp3

const (
	longBands  = 22
	shortBands = 13
	// maxSegments is the number of scale factor bands of a short block, each window counted.
	maxSegments = 3 * shortBands
	// longWindow marks a segment that belongs to no short window.
	longWindow = 3
)

// longWidths and shortWidths are the numbers of lines in each scale factor band, by
// mpeg.Header.RateIndex (ISO 11172-3 and 13818-3, tables B.8; the last row is common practice for
// 8 kHz, which no standard covers).
var (
	longWidths = [9][longBands]int{
		{4, 4, 4, 4, 4, 4, 6, 6, 8, 8, 10, 12, 16, 20, 24, 28, 34, 42, 50, 54, 76, 158},
		{4, 4, 4, 4, 4, 4, 6, 6, 6, 8, 10, 12, 16, 18, 22, 28, 34, 40, 46, 54, 54, 192},
		{4, 4, 4, 4, 4, 4, 6, 6, 8, 10, 12, 16, 20, 24, 30, 38, 46, 56, 68, 84, 102, 26},
		{6, 6, 6, 6, 6, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 38, 46, 52, 60, 68, 58, 54},
		{6, 6, 6, 6, 6, 6, 8, 10, 12, 14, 16, 18, 22, 26, 32, 38, 46, 54, 62, 70, 76, 36},
		{6, 6, 6, 6, 6, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 38, 46, 52, 60, 68, 58, 54},
		{6, 6, 6, 6, 6, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 38, 46, 52, 60, 68, 58, 54},
		{6, 6, 6, 6, 6, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 38, 46, 52, 60, 68, 58, 54},
		{12, 12, 12, 12, 12, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 76, 90, 2, 2, 2, 2, 2},
	}
	shortWidths = [9][shortBands]int{
		{4, 4, 4, 4, 6, 8, 10, 12, 14, 18, 22, 30, 56},
		{4, 4, 4, 4, 6, 6, 10, 12, 14, 16, 20, 26, 66},
		{4, 4, 4, 4, 6, 8, 12, 16, 20, 26, 34, 42, 12},
		{4, 4, 4, 6, 6, 8, 10, 14, 18, 26, 32, 42, 18},
		{4, 4, 4, 6, 8, 10, 12, 14, 18, 24, 32, 44, 12},
		{4, 4, 4, 6, 8, 10, 12, 14, 18, 24, 30, 40, 18},
		{4, 4, 4, 6, 8, 10, 12, 14, 18, 24, 30, 40, 18},
		{4, 4, 4, 6, 8, 10, 12, 14, 18, 24, 30, 40, 18},
		{8, 8, 8, 12, 16, 20, 24, 28, 36, 2, 2, 2, 26},
	}
)

// segment is a run of lines with one scale factor: a band of a long block, or a
// band of one window of a short block.
type segment struct {
	start, end int
	window     uint8 // 0 to 2, or longWindow
	band       uint8 // within its kind, for the pre-emphasis table
}

// bandTable is the division of the spectrum at one sample rate. The segments are in the order of
// the bit stream, which is the order of the scale factors.
type bandTable struct {
	longStart          [longBands + 1]int
	long, short, mixed []segment
	mixedEnd           int // the line where short blocks begin in a mixed granule
}

// newBandTable returns the table for one row of longWidths and shortWidths.
func newBandTable(long [longBands]int, short [shortBands]int, lsf bool) *bandTable {
	t := &bandTable{}
	for band, width := range long {
		start := t.longStart[band]
		t.longStart[band+1] = start + width
		t.long = append(t.long, segment{start, start + width, longWindow, uint8(band)})
	}
	// A mixed granule has long bands up to the start of the fourth short band.
	mixedBands := 8
	if lsf {
		mixedBands = 6
	}
	t.mixedEnd = t.longStart[mixedBands]
	t.mixed = append(t.mixed, t.long[:mixedBands]...)
	start := 0
	for band, width := range short {
		for window := range 3 {
			s := segment{start, start + width, uint8(window), uint8(band)}
			t.short = append(t.short, s)
			if band >= 3 {
				t.mixed = append(t.mixed, s)
			}
			start += width
		}
	}
	return t
}

// segments returns the division for a channel's block type.
func (t *bandTable) segments(c *channelInfo) []segment {
	switch {
	case c.block != shortBlock:
		return t.long
	case c.mixed:
		return t.mixed
	default:
		return t.short
	}
}

// windowSwitchRegion returns the line at which the first Huffman region ends if the side
// information does not state it: after three short bands, or eight long ones.
func (t *bandTable) windowSwitchRegion(b blockType) int {
	if b == shortBlock {
		return t.short[9].start
	}
	return t.longStart[8]
}
