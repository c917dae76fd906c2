package aac

// bandSet holds the widths of the scale factor bands of a long and of a short window at some sample
// rates.
type bandSet struct{ long, short []int }

const rateCount = 13

// rates lists the sample rates by index.
var rates = [rateCount]int{96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350}

// rateFloors lists the lowest rates that use the tables of each index when a stream states its rate
// in Hz (ISO 14496-3, table 4.82).
var rateFloors = [rateCount - 1]int{92017, 75132, 55426, 46009, 37566, 27713, 23004, 18783, 13856, 11502, 9391, 0}

// shapedLong and shapedShort are the numbers of bands that temporal noise shaping may affect, by
// rate index.
var (
	shapedLong  = [rateCount]int{31, 31, 34, 40, 42, 51, 46, 46, 42, 42, 42, 39, 39}
	shapedShort = [rateCount]int{9, 9, 10, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14}
)

// bandSetOf is the index into bandSets by rate index.
var bandSetOf = [rateCount]int{0, 0, 1, 2, 2, 3, 4, 4, 5, 5, 5, 6, 6}

// bandSets are the widths of scale factor bands (ISO 14496-3, tables 4.129 to 4.147).
var bandSets = [...]bandSet{
	{
		long: []int{
			4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 8, 8, 8, 8, 12, 12, 12, 12, 12, 16, 16, 24, 28, 36, 44,
			64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64,
		},
		short: []int{4, 4, 4, 4, 4, 4, 8, 8, 8, 16, 28, 36},
	},
	{
		long: []int{
			4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 16, 16, 16, 20, 24, 24, 28, 36,
			40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40,
		},
		short: []int{4, 4, 4, 4, 4, 4, 8, 8, 8, 16, 28, 36},
	},
	{
		long: []int{
			4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 12, 12, 12, 12, 16, 16, 20, 20, 24, 24, 28, 28,
			32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 96,
		},
		short: []int{4, 4, 4, 4, 4, 8, 8, 8, 12, 12, 12, 16, 16, 16},
	},
	{
		long: []int{
			4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 12, 12, 12, 12, 16, 16, 20, 20, 24, 24, 28, 28,
			32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32,
		},
		short: []int{4, 4, 4, 4, 4, 8, 8, 8, 12, 12, 12, 16, 16, 16},
	},
	{
		long: []int{
			4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 12, 12, 12, 12, 16, 16, 16, 20, 20,
			24, 24, 28, 28, 32, 36, 36, 40, 44, 48, 52, 52, 64, 64, 64, 64, 64,
		},
		short: []int{4, 4, 4, 4, 4, 4, 4, 8, 8, 8, 12, 12, 16, 16, 20},
	},
	{
		long: []int{
			8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 12, 12, 12, 12, 12, 12, 12, 12, 12, 16, 16, 16, 16, 20, 20, 20, 24, 24,
			28, 28, 32, 36, 40, 40, 44, 48, 52, 56, 60, 64, 64, 64,
		},
		short: []int{4, 4, 4, 4, 4, 4, 4, 4, 8, 8, 12, 12, 16, 20, 20},
	},
	{
		long: []int{
			12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 12, 16, 16, 16, 16, 16, 16, 16, 20, 20, 20, 20, 24, 24, 24,
			28, 28, 32, 36, 36, 40, 44, 48, 52, 56, 60, 64, 80,
		},
		short: []int{4, 4, 4, 4, 4, 4, 4, 8, 8, 8, 8, 12, 16, 20, 20},
	},
}

// division holds the edges of the bands of one kind of window and the number of bands that temporal
// noise shaping may affect.
type division struct {
	edges  []int // one more than there are bands
	shaped int
}

// divide returns the divisions of long and short windows at a rate index.
func divide(rate int) (long, short division) {
	set := bandSets[bandSetOf[rate]]
	return division{edgesOf(set.long), shapedLong[rate]}, division{edgesOf(set.short), shapedShort[rate]}
}

func edgesOf(widths []int) []int {
	edges := []int{0}
	for i, w := range widths {
		edges = append(edges, edges[i]+w)
	}
	return edges
}
