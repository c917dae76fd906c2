// Package aac decodes AAC-LC (ISO 14496-3) with one to eight channels. The samples of a packet
// depend only on that packet and the one before it.
package aac

import (
	"errors"
	"fmt"
	"math"
)

const maxChannels = 8

var (
	errDamaged = errors.New("damaged packet")
	errCut     = fmt.Errorf("%w: truncated", errDamaged)
)

// FrameSize is the number of samples per channel in a packet.
const FrameSize = frameLines

// Decoder decodes the packets of one stream.
type Decoder struct {
	tables      *tables
	long, short division
	elements    []element
	slots       []int // of each channel, in the order of the elements
	channels    []channel
	joint       joint
	noise       noise
	bank        *filterbank
	samples     [frameLines]float64
	out         []float32
}

// NewDecoder returns a decoder in its initial state.
func NewDecoder(c Config) *Decoder {
	d := &Decoder{tables: loadTables(), elements: c.elements, slots: c.slots()}
	d.long, d.short = divide(c.rate)
	d.bank = newFilterbank(d.tables)
	d.channels = make([]channel, len(d.slots))
	d.out = make([]float32, frameLines*len(d.slots))
	return d
}

// Reset discards the state of the previous packet.
func (d *Decoder) Reset() {
	for i := range d.channels {
		d.channels[i].memory = memory{}
	}
}

// Decode decodes a packet and returns FrameSize interleaved frames in the order of Config.Speakers:
// the overlap of the previous packet with this one. They are valid until the next call. After an
// error the decoder is as after Reset.
func (d *Decoder) Decode(packet []byte) ([]float32, error) {
	for i := range d.channels {
		d.channels[i].present = false
	}
	d.noise.seed(packet)
	if err := d.readElements(&bitReader{data: packet}); err != nil {
		d.Reset()
		return nil, err
	}
	for i := range d.channels {
		d.synthesise(&d.channels[i], d.slots[i])
	}
	return d.out, nil
}

// readElements parses a raw_data_block. Missing channels are silent; at least one must be present.
func (d *Decoder) readElements(r *bitReader) error {
	found := false
	for r.left() >= 3 {
		var err error
		switch kind := r.read(3); kind {
		case singleElement, lowElement, pairElement:
			found = true
			err = d.readChannels(r, kind)
		case couplingElement:
			err = fmt.Errorf("%w: coupling channels", ErrUnsupported)
		case dataElement:
			skipData(r)
		case programElement:
			skipProgram(r)
		case fillElement:
			err = skipFill(r)
		case endElement:
			if !found {
				return fmt.Errorf("%w: no channel", errDamaged)
			}
			return nil
		}
		if err != nil {
			return err
		}
		if r.over() {
			return errCut
		}
	}
	return errCut
}

// readChannels parses an element and separates the channels of a pair.
func (d *Decoder) readChannels(r *bitReader, kind int) error {
	tag := r.read(4)
	at := d.findChannel(kind, tag)
	if at < 0 {
		return fmt.Errorf("%w: undeclared channel element (%d, %d)", ErrUnsupported, kind, tag)
	}
	left := &d.channels[at]
	if kind != pairElement {
		if err := left.read(r, d, false); err != nil {
			return err
		}
		d.noise.fill(left, nil, nil, d.tables)
		return nil
	}
	right := &d.channels[at+1]
	shared := r.flag()
	if shared {
		if err := left.windowing.read(r, &d.long, &d.short); err != nil {
			return err
		}
		if err := d.joint.read(r, &left.windowing); err != nil {
			return err
		}
		right.windowing = left.windowing
	}
	if err := left.read(r, d, shared); err != nil {
		return err
	}
	if err := right.read(r, d, shared); err != nil {
		return err
	}
	d.noise.fill(left, nil, nil, d.tables)
	if !shared {
		d.noise.fill(right, nil, nil, d.tables)
		return nil
	}
	d.noise.fill(right, left, &d.joint.used, d.tables)
	d.joint.undo(left, right, d.tables)
	return nil
}

// findChannel returns the first channel of an element that is not present yet, -1 if there is none.
func (d *Decoder) findChannel(kind, tag int) int {
	at := 0
	for _, e := range d.elements {
		if e.kind == kind && (e.tag == anyTag || e.tag == tag) && !d.channels[at].present {
			return at
		}
		at += e.width()
	}
	return -1
}

// synthesise writes the samples of a channel to out.
func (d *Decoder) synthesise(c *channel, slot int) {
	if c.present {
		c.shaping.apply(&c.spectrum)
	} else {
		c.windowing = windowing{}
		clear(c.spectrum[:])
	}
	d.bank.run(&c.windowing, &c.spectrum, &c.memory, &d.samples)
	width := len(d.slots)
	to := d.out[slot:]
	for i, v := range d.samples {
		if !(math.Abs(v) < math.MaxFloat32) {
			v = 0 // only a damaged packet exceeds float32
		}
		to[i*width] = float32(v)
	}
}

// skipData skips a data stream element.
func skipData(r *bitReader) {
	r.read(4)
	aligned := r.flag()
	n := r.read(8)
	if n == 255 {
		n += r.read(8)
	}
	if aligned {
		r.align()
	}
	r.pos += 8 * n
}

// skipFill skips a fill element; one with spectral band replication means HE-AAC.
func skipFill(r *bitReader) error {
	const bandReplication, withChecksum = 13, 14
	n := r.read(4)
	if n == 15 {
		n += r.read(8) - 1
	}
	if n > 0 {
		if kind := r.peek() >> 60; kind == bandReplication || kind == withChecksum {
			return fmt.Errorf("%w: HE-AAC", ErrUnsupported)
		}
	}
	r.pos += 8 * n
	return nil
}
