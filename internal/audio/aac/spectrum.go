package aac

import (
	"fmt"
	"math/bits"
)

const (
	escape     = 16 // in codebook 11: the value follows
	escapeBits = 4  // its shortest length
	escapeMost = 12 // its longest
)

// readSpectrum parses the quantised lines. In a group, the lines of one band of all windows are
// contiguous.
func (c *channel) readSpectrum(r *bitReader, t *tables) error {
	clear(c.quantised[:])
	start := 0
	for g := range c.groups {
		for band := range c.bands {
			book := c.books[g*c.bands+band]
			if book == zeroBook || book > lastBook {
				continue
			}
			from, to := c.edges[band], c.edges[band+1]
			for w := range c.sizes[g] {
				lines := c.quantised[start+w*shortLines:][from:to]
				if err := t.spectrum[book-1].read(r, lines); err != nil {
					return err
				}
			}
			if r.over() {
				return errCut
			}
		}
		start += c.sizes[g] * shortLines
	}
	return nil
}

// read fills lines, a multiple of four.
func (b *spectrumBook) read(r *bitReader, lines []int32) error {
	switch {
	case !b.unsigned && b.dim == 4:
		for ; len(lines) >= 4; lines = lines[4:] {
			word := b.find(r.peek())
			r.pos += int(word.length)
			v := b.values[word.symbol]
			lines[0], lines[1], lines[2], lines[3] = int32(v[0]), int32(v[1]), int32(v[2]), int32(v[3])
		}
	case !b.unsigned:
		for ; len(lines) >= 2; lines = lines[2:] {
			word := b.find(r.peek())
			r.pos += int(word.length)
			v := b.values[word.symbol]
			lines[0], lines[1] = int32(v[0]), int32(v[1])
		}
	default:
		return b.readSigned(r, lines)
	}
	return nil
}

// readSigned is read for unsigned codebooks.
func (b *spectrumBook) readSigned(r *bitReader, lines []int32) error {
	for ; len(lines) >= b.dim; lines = lines[b.dim:] {
		following := r.peek()
		word := b.find(following)
		following <<= word.length
		used := int(word.length)
		v := &b.values[word.symbol]
		for i := range lines[:b.dim] {
			if v[i] == 0 {
				continue
			}
			sign := -int32(following >> 63)
			lines[i] = (int32(v[i]) ^ sign) - sign
			following <<= 1
			used++
		}
		r.pos += used
		if v[0] != escape && v[1] != escape {
			continue
		}
		for i := range lines[:2] {
			if v[i] != escape {
				continue
			}
			size, err := readEscape(r)
			if err != nil {
				return err
			}
			if lines[i] < 0 {
				size = -size
			}
			lines[i] = size
		}
	}
	return nil
}

// readEscape parses a value beyond codebook 11: a one for each bit it has more than four, a zero,
// and the bits below its highest.
func readEscape(r *bitReader) (int32, error) {
	ones := bits.LeadingZeros64(^r.peek())
	n := escapeBits + ones
	if n > escapeMost {
		return 0, fmt.Errorf("%w: a line of %d bits", errDamaged, n)
	}
	r.pos += ones + 1
	return int32(1<<n | r.read(n)), nil
}

// dequantise converts quantised lines to spectral values.
func (c *channel) dequantise(t *tables) {
	clear(c.spectrum[:])
	c.eachBand(func(i, from, to int) {
		if book := c.books[i]; book == zeroBook || book > lastBook {
			return
		}
		gain := t.gains[int(c.factors[i])+gainsMiddle]
		out := c.spectrum[from:to]
		for j, q := range c.quantised[from:to] {
			out[j] = t.cubes[(q+cubesMiddle)&(2*cubesMiddle-1)] * gain
		}
	})
}

// eachBand visits the bands of all windows: i is the index of the values that the windows of a
// group share, and the lines are those between from and to.
func (c *channel) eachBand(visit func(i, from, to int)) {
	start := 0
	for g := range c.groups {
		for range c.sizes[g] {
			for band := range c.bands {
				visit(g*c.bands+band, start+c.edges[band], start+c.edges[band+1])
			}
			start += shortLines
		}
	}
}
