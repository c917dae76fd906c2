package aac

import "fmt"

// Codebook numbers with a special meaning.
const (
	zeroBook      = 0 // all lines are zero
	lastBook      = 11
	noiseBook     = 13
	intensityBook = 15 // 14 is the same with inverted phase

	maxBands = windows * 15 // in all groups: 8·15 of short windows, 51 of a long one
)

// channel is the content of a packet for one channel, and the state for the next packet.
type channel struct {
	windowing
	// By group and band: the codebook, and the exponent of the gain for lines, noise or intensity
	// in quarters of a power of two.
	books   [maxBands]uint8
	factors [maxBands]int16

	pulses    pulses
	shaping   shaping
	quantised [frameLines]int32
	spectrum  [frameLines]float64

	memory
	present bool // in this packet
}

// read parses an individual_channel_stream. The windowing is already known when the channels of a
// pair share it.
func (c *channel) read(r *bitReader, d *Decoder, shared bool) error {
	gain := r.read(8)
	if !shared {
		if err := c.windowing.read(r, &d.long, &d.short); err != nil {
			return err
		}
	}
	if err := c.readSections(r); err != nil {
		return err
	}
	if err := c.readFactors(r, d.tables.scalefactors, gain); err != nil {
		return err
	}
	if err := c.pulses.read(r, c); err != nil {
		return err
	}
	if err := c.shaping.read(r, &c.windowing); err != nil {
		return err
	}
	if r.flag() {
		return fmt.Errorf("%w: gain control", ErrUnsupported)
	}
	if err := c.readSpectrum(r, d.tables); err != nil {
		return err
	}
	if r.over() {
		return errCut
	}
	c.pulses.add(c.quantised[:])
	c.dequantise(d.tables)
	c.present = true
	return nil
}

// readSections parses the codebook of each band.
func (c *channel) readSections(r *bitReader) error {
	width := 5
	if c.sequence == eightShort {
		width = 3
	}
	for g := range c.groups {
		for band := 0; band < c.bands; {
			book := r.read(4)
			if book == lastBook+1 {
				return fmt.Errorf("%w: codebook %d", errDamaged, book)
			}
			length := 0
			for {
				more := r.read(width)
				length += more
				if more != 1<<width-1 || length > c.bands {
					break
				}
			}
			if length == 0 && r.over() {
				return errCut
			}
			if length > c.bands-band {
				return fmt.Errorf("%w: a section ends after the last band", errDamaged)
			}
			for range length {
				c.books[g*c.bands+band] = uint8(book)
				band++
			}
		}
	}
	return nil
}
