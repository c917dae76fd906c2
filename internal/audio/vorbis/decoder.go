// Package vorbis decodes the packets of a Vorbis I stream. The caller reads them from the
// container, which also defines where the stream begins and ends.
//
// The time and the memory that decoding takes are bounded for any packet.
package vorbis

import (
	"errors"
	"math"
)

// Decoder decodes one stream. It is used by one goroutine at a time.
type Decoder struct {
	channels int
	rate     int
	sizes    [2]int // of a short and of a long block
	modes    []mode

	transforms [2]*mdct
	slopes     [2][]float32 // the rising half of each window

	heights  []heights
	audible  []bool // the channel has a floor
	coded    []bool // the channel has a residue
	spectra  [][]float32
	blocks   [][]float32
	tails    [][]float32 // second half of the block before
	tailSize int         // size of the block before, 0 when there is none
	out      [][]float32

	wanted []bool      // scratch: coded, for the channels of one submap
	group  [][]float32 // scratch: spectra, for the channels of one submap
}

var errPacket = errors.New("not an audio packet")

// Rate returns the sample rate in Hz.
func (d *Decoder) Rate() int { return d.rate }

// Channels returns the number of channels. They are in the order of the Vorbis specification.
func (d *Decoder) Channels() int { return d.channels }

// Reset forgets the previous packet: the next one completes no samples.
func (d *Decoder) Reset() { d.tailSize = 0 }

func (d *Decoder) prepare() {
	for i, size := range d.sizes {
		d.transforms[i] = newMDCT(size)
		d.slopes[i] = make([]float32, size/2)
		for j := range d.slopes[i] {
			s := math.Sin(math.Pi * (float64(j) + 0.5) / float64(size))
			d.slopes[i][j] = float32(math.Sin(math.Pi / 2 * s * s))
		}
	}
	long := d.sizes[1]
	d.heights = make([]heights, d.channels)
	d.audible = make([]bool, d.channels)
	d.coded = make([]bool, d.channels)
	for range d.channels {
		d.spectra = append(d.spectra, make([]float32, long/2))
		d.blocks = append(d.blocks, make([]float32, long))
		d.tails = append(d.tails, make([]float32, long/2))
		d.out = append(d.out, make([]float32, long/2))
	}
}

// Decode returns the samples that packet completes, a slice of the same length for each channel.
// The first packet, and the first after Reset, completes none. The slices are valid until the next
// call.
func (d *Decoder) Decode(packet []byte) ([][]float32, error) {
	r := newBitReader(packet)
	if r.flag() {
		return nil, errPacket
	}
	number := int(r.read(bitLength(len(d.modes) - 1)))
	if r.over || number >= len(d.modes) {
		return nil, errPacket
	}
	mode := d.modes[number]
	kind, before, after := 0, 0, 0
	if mode.long {
		kind = 1
		before, after = int(r.read(1)), int(r.read(1))
		if r.over {
			return nil, errPacket
		}
	}

	size := d.sizes[kind]
	for ch := range d.spectra {
		d.spectra[ch] = d.spectra[ch][:size/2]
		clear(d.spectra[ch])
	}
	d.readSpectra(r, mode.mapping)
	for ch := range d.blocks {
		d.blocks[ch] = d.blocks[ch][:size]
		d.transforms[kind].inverse(d.spectra[ch], d.blocks[ch])
		shape(d.blocks[ch], d.slopes[before], d.slopes[after])
	}
	return d.overlap(size), nil
}

// readSpectra decodes floors and residues and multiplies them.
func (d *Decoder) readSpectra(r *bitReader, m *mapping) {
	for ch, sub := range m.submap {
		d.audible[ch] = m.floors[sub].read(r, &d.heights[ch])
	}
	copy(d.coded, d.audible)
	for _, c := range m.couplings {
		both := d.coded[c.magnitude] || d.coded[c.angle]
		d.coded[c.magnitude], d.coded[c.angle] = both, both
	}
	for sub, residue := range m.residues {
		d.group, d.wanted = d.group[:0], d.wanted[:0]
		for ch := range d.spectra {
			if m.submap[ch] == sub {
				d.group = append(d.group, d.spectra[ch])
				d.wanted = append(d.wanted, d.coded[ch])
			}
		}
		residue.add(r, d.group, d.wanted)
	}
	for i := len(m.couplings) - 1; i >= 0; i-- {
		uncouple(d.spectra[m.couplings[i].magnitude], d.spectra[m.couplings[i].angle])
	}
	for ch, sub := range m.submap {
		if d.audible[ch] {
			m.floors[sub].apply(&d.heights[ch], d.spectra[ch])
		} else {
			clear(d.spectra[ch])
		}
	}
}

// uncouple converts magnitude and angle to the two channels, in place. Signs are random, so it
// selects by masks instead of branches: one channel is the magnitude m, the other is m minus the
// angle, or plus it, with the sign of the angle changed if m is not positive.
func uncouple(magnitude, angle []float32) {
	angle = angle[:len(magnitude)]
	for i, m := range magnitude {
		bits := math.Float32bits(angle[i])
		above := positive(bits)
		turned := bits ^ ^positive(math.Float32bits(m))&(1<<31)
		magnitude[i] = m + math.Float32frombits(turned&^above)
		angle[i] = m - math.Float32frombits(turned&above)
	}
}

// positive returns all ones if a float of these bits is greater than 0, and otherwise 0.
func positive(bits uint32) uint32 { return uint32(-int64(int32(bits)) >> 63) }

// shape multiplies a block by its window, whose slopes may be shorter than half the block.
func shape(block, rising, falling []float32) {
	half := len(block) / 2
	rising, falling = rising[:min(len(rising), half)], falling[:min(len(falling), half)]
	start := half/2 - len(rising)/2
	clear(block[:start])
	for i, w := range rising {
		block[start+i] *= w
	}
	start = half + half/2 - len(falling)/2
	for i := range falling {
		block[start+i] *= falling[len(falling)-1-i]
	}
	clear(block[start+len(falling):])
}

// overlap adds the second half of the previous block to the first half of this one, centre to
// centre, and stores the second half of this one.
func (d *Decoder) overlap(size int) [][]float32 {
	frames := 0
	if d.tailSize > 0 {
		frames = d.tailSize/4 + size/4
	}
	for ch := range d.out {
		out := d.out[ch][:frames]
		block, tail := d.blocks[ch], d.tails[ch]
		if frames > 0 {
			n := copy(out, tail[:d.tailSize/2])
			clear(out[n:])
			if start := frames - size/2; start >= 0 {
				accumulate(out[start:], block)
			} else {
				accumulate(out, block[-start:])
			}
		}
		copy(tail, block[size/2:])
		d.out[ch] = out
	}
	d.tailSize = size
	return d.out
}

// accumulate adds as many of samples to out as out holds.
func accumulate(out, samples []float32) {
	samples = samples[:len(out)]
	for i, s := range samples {
		out[i] += s
	}
}
