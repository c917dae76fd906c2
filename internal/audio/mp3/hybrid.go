package mp3

import "math"

const (
	subbands      = 32
	subbandLines  = 18
	aliasedLines  = 8
	granuleSlots  = subbandLines
	overlapLength = subbands * subbandLines
)

// subbandSamples is the input of the synthesis of one granule: 18 time slots of 32 subbands.
type subbandSamples [granuleSlots][subbands]float32

// aliasTurns are the sines and cosines of the butterflies between neighbouring subbands, from the
// coefficients of ISO 11172-3, table B.9.
var aliasTurns = func() (t [aliasedLines][2]float32) {
	for i, c := range [aliasedLines]float64{-0.6, -0.535, -0.33, -0.185, -0.095, -0.041, -0.0142, -0.0037} {
		scale := math.Sqrt(1 + c*c)
		t[i] = [2]float32{float32(1 / scale), float32(c / scale)}
	}
	return t
}()

// reduceAliases applies the butterflies at the lower edges of subbands 1 to last.
func reduceAliases(lines *[granuleLines]float32, last int) {
	for sb := 1; sb <= last; sb++ {
		edge := lines[sb*subbandLines-aliasedLines : sb*subbandLines+aliasedLines]
		below, above := (*[aliasedLines]float32)(edge), (*[aliasedLines]float32)(edge[aliasedLines:])
		for i := range aliasedLines {
			u, d := below[aliasedLines-1-i], above[i]
			cs, ca := aliasTurns[i][0], aliasTurns[i][1]
			below[aliasedLines-1-i] = u*cs - d*ca
			above[i] = d*cs + u*ca
		}
	}
}

// hybrid converts the lines of one channel to subband samples and overwrites lines. count is the
// number of lines that may be non-zero; mixedEnd is where short blocks begin in a mixed granule;
// overlap passes the second halves of the blocks to the next granule.
func hybrid(lines *[granuleLines]float32, count int, c *channelInfo, mixedEnd int,
	overlap *[overlapLength]float32, out *subbandSamples) {
	active := (count + subbandLines - 1) / subbandLines
	plain := 0 // number of subbands with the window of long blocks, whatever the type of the block
	if c.mixed {
		plain = mixedEnd / subbandLines
	}
	long := subbands // number of subbands with one transform of 18 lines
	if c.block == shortBlock {
		long = plain
	}
	if long > 0 && active > 0 {
		// The butterflies leak into the first subband above the last line, though not
		// across the border between long and short blocks.
		active = min(active+1, subbands)
		reduceAliases(lines, min(active, long)-1)
	}
	for sb := range subbands {
		in := (*[subbandLines]float32)(lines[sb*subbandLines:])
		over := (*[subbandLines]float32)(overlap[sb*subbandLines:])
		var y [subbandLines]float32
		switch {
		case sb >= active:
			y, *over = *over, y
		case sb < plain:
			longTransform(in, &longWindows[longBlock], over, &y)
		case sb < long:
			longTransform(in, &longWindows[c.block], over, &y)
		default:
			shortTransform(in, over, &y)
		}
		// The synthesis expects the spectrum of every other subband mirrored.
		if sb&1 == 0 {
			for i := range y {
				out[i][sb] = y[i]
			}
		} else {
			for i := 0; i < len(y); i += 2 {
				out[i][sb] = y[i]
				out[i+1][sb] = -y[i+1]
			}
		}
	}
}
