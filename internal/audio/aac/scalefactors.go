package aac

import "fmt"

const (
	deltaZero   = 60  // the symbol of no difference
	factorZero  = 100 // the scale factor of a gain of 1
	factorLimit = 255
	noiseStart  = 90  // the first level of noise is relative to the gain less this
	noiseZero   = 256 // in its own code
	noiseBits   = 9

	// No gain goes beyond those of scale factors, whatever a damaged packet adds up to.
	lowestGain, highestGain = -factorZero, factorLimit - factorZero
)

// readFactors reads the scale factors, each kind coded as the difference from the one before of its kind.
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
