package aac

import "fmt"

const (
	deltaZero   = 60  // the symbol of no difference
	factorZero  = 100 // the scale factor of a gain of 1
	factorLimit = 255
	noiseStart  = 90  // the first noise level is relative to the gain minus this
	noiseZero   = 256 // in its own code
	noiseBits   = 9

	// Gains stay within the range of scale factors, also in damaged packets.
	lowestGain, highestGain = -factorZero, factorLimit - factorZero
)

// readFactors parses the scale factors; each is coded as the difference from the previous one of
// its kind.
func (c *channel) readFactors(r *bitReader, code *codeTable, gain int) error {
	delta := func() int {
		w := code.find(r.peek())
		r.pos += int(w.length)
		return int(w.symbol) - deltaZero
	}
	factor, position, noise := gain, 0, gain-noiseStart
	firstNoise := true
	for i, book := range c.books[:c.groups*c.bands] {
		switch {
		case book == zeroBook:
			c.factors[i] = 0
		case book == noiseBook:
			if firstNoise {
				noise += r.read(noiseBits) - noiseZero
				firstNoise = false
			} else {
				noise += delta()
			}
			c.factors[i] = int16(min(max(noise, lowestGain), highestGain))
		case book > noiseBook:
			position += delta()
			c.factors[i] = int16(min(max(-position, lowestGain), highestGain))
		default:
			factor += delta()
			if factor < 0 || factor > factorLimit {
				return fmt.Errorf("%w: scale factor %d", errDamaged, factor)
			}
			c.factors[i] = int16(factor - factorZero)
		}
	}
	return nil
}
