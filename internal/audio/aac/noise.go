package aac

import (
	"hash/crc32"
	"math"
	"math/rand/v2"
)

// noise generates the lines of bands for which the packet only contains a level (perceptual noise
// substitution). It depends on the packet alone, so that seeking gives the same samples as playing.
type noise struct{ rand.PCG }

func (n *noise) seed(packet []byte) {
	n.Seed(uint64(crc32.ChecksumIEEE(packet)), uint64(len(packet)))
}

// fill generates the noise of a channel. In bands where a pair is coded as sum and difference, both
// channels have the same noise at their own levels: left is the first of such a pair, or nil.
func (n *noise) fill(c, left *channel, joint *[maxBands]bool, t *tables) {
	c.eachBand(func(i, from, to int) {
		if c.books[i] != noiseBook {
			return
		}
		lines := c.spectrum[from:to]
		if left != nil && joint[i] && left.books[i] == noiseBook {
			ratio := t.gains[int(c.factors[i]-left.factors[i])+gainsMiddle]
			for j, v := range left.spectrum[from:to] {
				lines[j] = v * ratio
			}
			return
		}
		energy := 0.0
		for j := range lines {
			v := float64(int32(n.Uint64()))
			lines[j] = v
			energy += v * v
		}
		scale := t.gains[int(c.factors[i])+gainsMiddle] / math.Sqrt(max(energy, 1))
		for j := range lines {
			lines[j] *= scale
		}
	})
}
