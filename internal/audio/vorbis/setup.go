package vorbis

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// ErrUnsupported is wrapped by errors about valid streams with features that no encoder has used
// since 2002.
var ErrUnsupported = errors.New("unsupported")

var (
	errHeader = errors.New("bad identification header")
	errSetup  = errors.New("bad setup header")
)

const (
	maxChannels = 8
	maxRate     = 384000
)

// mapping describes how the channels of a packet are coded.
type mapping struct {
	couplings []coupling
	submap    []int // of each channel
	floors    []*floor
	residues  []*residue // floors and residues by submap
}

// coupling is a pair of channels coded as magnitude and angle.
type coupling struct{ magnitude, angle int }

type mode struct {
	long    bool
	mapping *mapping
}

// NewDecoder returns a decoder for the first and the third header packet of a stream.
func NewDecoder(identification, setup []byte) (*Decoder, error) {
	d := &Decoder{}
	if err := d.readIdentification(identification); err != nil {
		return nil, err
	}
	if len(setup) < 7 || string(setup[:7]) != "\x05vorbis" {
		return nil, errSetup
	}
	if err := d.readSetup(newBitReader(setup[7:])); err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	d.prepare()
	return d, nil
}

func (d *Decoder) readIdentification(h []byte) error {
	if len(h) < 30 || string(h[:7]) != "\x01vorbis" || h[29]&1 == 0 {
		return errHeader
	}
	if version := binary.LittleEndian.Uint32(h[7:]); version != 0 {
		return fmt.Errorf("version %d: %w", version, ErrUnsupported)
	}
	d.channels = int(h[11])
	d.rate = int(binary.LittleEndian.Uint32(h[12:]))
	short, long := h[28]&15, h[28]>>4
	if d.channels == 0 || d.rate == 0 || short < 6 || long < short || long > 13 {
		return errHeader
	}
	if d.channels > maxChannels || d.rate > maxRate {
		return fmt.Errorf("%d channels at %d Hz: %w", d.channels, d.rate, ErrUnsupported)
	}
	d.sizes = [2]int{1 << short, 1 << long}
	return nil
}

func (d *Decoder) readSetup(r *bitReader) error {
	books := make([]*codebook, r.read(8)+1)
	total := 0
	for i := range books {
		book, err := readCodebook(r)
		if err != nil {
			return err
		}
		if total += len(book.nodes) + len(book.values); total > 2*maxValues {
			return errCodebook
		}
		books[i] = book
	}
	for range r.read(6) + 1 {
		if r.read(16) != 0 {
			return errSetup
		}
	}
	floors := make([]*floor, r.read(6)+1)
	for i := range floors {
		switch kind := r.read(16); kind {
		case 0:
			return fmt.Errorf("floor type 0: %w", ErrUnsupported)
		case 1:
		default:
			return errFloor
		}
		var err error
		if floors[i], err = readFloor(r, books); err != nil {
			return err
		}
	}
	residues := make([]*residue, r.read(6)+1)
	for i := range residues {
		var err error
		if residues[i], err = readResidue(r, books); err != nil {
			return err
		}
	}
	mappings := make([]*mapping, r.read(6)+1)
	for i := range mappings {
		var err error
		if mappings[i], err = d.readMapping(r, floors, residues); err != nil {
			return err
		}
	}
	d.modes = make([]mode, r.read(6)+1)
	for i := range d.modes {
		d.modes[i].long = r.flag()
		window, transform, number := r.read(16), r.read(16), int(r.read(8))
		if window != 0 || transform != 0 || number >= len(mappings) {
			return errSetup
		}
		d.modes[i].mapping = mappings[number]
	}
	if !r.flag() {
		return errSetup
	}
	return nil
}

func (d *Decoder) readMapping(r *bitReader, floors []*floor, residues []*residue) (*mapping, error) {
	m := &mapping{submap: make([]int, d.channels)}
	if r.read(16) != 0 {
		return nil, errSetup
	}
	submaps := 1
	if r.flag() {
		submaps = int(r.read(4)) + 1
	}
	if r.flag() {
		m.couplings = make([]coupling, r.read(8)+1)
		width := bitLength(d.channels - 1)
		for i := range m.couplings {
			c := coupling{int(r.read(width)), int(r.read(width))}
			if c.magnitude == c.angle || c.magnitude >= d.channels || c.angle >= d.channels {
				return nil, errSetup
			}
			m.couplings[i] = c
		}
	}
	if r.read(2) != 0 {
		return nil, errSetup
	}
	if submaps > 1 {
		for i := range m.submap {
			if m.submap[i] = int(r.read(4)); m.submap[i] >= submaps {
				return nil, errSetup
			}
		}
	}
	for range submaps {
		r.read(8)
		floor, residue := int(r.read(8)), int(r.read(8))
		if floor >= len(floors) || residue >= len(residues) {
			return nil, errSetup
		}
		m.floors = append(m.floors, floors[floor])
		m.residues = append(m.residues, residues[residue])
	}
	return m, nil
}

// bitLength returns the number of bits that n needs.
func bitLength(n int) uint { return uint(bits.Len(uint(n))) }
