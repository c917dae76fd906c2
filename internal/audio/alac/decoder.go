// Package alac decodes Apple Lossless packets to exactly the samples that were encoded. The caller
// reads the packets from the container; they do not depend on each other.
package alac

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var (
	// ErrUnsupported is wrapped by errors about streams that the reference decoder rejects as well.
	ErrUnsupported = errors.New("unsupported")

	errConfig = errors.New("bad configuration")
	errPacket = errors.New("bad packet")
)

const (
	maxChannels = 8
	maxFrames   = 1 << 14 // in a packet; encoders write 4096
)

// Decoder decodes one stream. It is used by one goroutine at a time.
type Decoder struct {
	frames   int // in a full packet
	depth    int
	history  uint32
	learning uint32
	limit    int
	channels int
	rate     int

	left, right []int32  // scratch
	low         []uint16 // scratch: the lowest bits of deep samples, which are not predicted
}

// NewDecoder returns a decoder for the 24 bytes of configuration in the container. Bytes behind
// them are ignored.
func NewDecoder(config []byte) (*Decoder, error) {
	if len(config) < 24 {
		return nil, errConfig
	}
	frames := binary.BigEndian.Uint32(config)
	d := &Decoder{
		depth:    int(config[5]),
		learning: uint32(config[6]),
		history:  uint32(config[7]),
		limit:    int(config[8]),
		channels: int(config[9]),
		rate:     int(binary.BigEndian.Uint32(config[20:])),
	}
	switch d.depth {
	case 16, 20, 24, 32:
	default:
		return nil, errConfig
	}
	if frames == 0 || d.channels == 0 || d.rate == 0 || d.limit == 0 || d.limit > 31 {
		return nil, errConfig
	}
	if version := config[4]; version != 0 || frames > maxFrames || d.channels > maxChannels {
		return nil, fmt.Errorf("version %d with %d channels and %d frames in a packet: %w",
			version, d.channels, frames, ErrUnsupported)
	}
	d.frames = int(frames)
	d.left, d.right = make([]int32, d.frames), make([]int32, d.frames)
	d.low = make([]uint16, 2*d.frames)
	return d, nil
}

// Rate returns the sample rate in Hz.
func (d *Decoder) Rate() int { return d.rate }

// Channels returns the number of channels. The first is the centre, if there is one.
func (d *Decoder) Channels() int { return d.channels }

// Depth returns the number of bits per sample.
func (d *Decoder) Depth() int { return d.depth }

// MaxFrames returns the largest number of frames in a packet.
func (d *Decoder) MaxFrames() int { return d.frames }

// Elements of a packet.
const (
	single = iota
	pair
	coupled
	effects
	data
	program
	fill
	end
)

// Decode writes the samples of a packet to out, interleaved, and returns the number of frames. out
// has room for MaxFrames frames.
func (d *Decoder) Decode(packet []byte, out []int32) (int, error) {
	r := &bitReader{data: packet}
	frames := 0
	for channel := 0; channel < d.channels; {
		kind := r.read(3)
		width := 1
		switch kind {
		case single, effects:
		case pair:
			width = 2
		case data, fill:
			skipElement(r, kind)
			if r.over {
				return 0, errPacket
			}
			continue
		default:
			return 0, errPacket
		}
		if channel+width > d.channels {
			return 0, errPacket
		}
		n, err := d.element(r, width)
		if err != nil {
			return 0, err
		}
		if channel > 0 && n != frames {
			return 0, errPacket
		}
		frames = n
		for i, v := range d.left[:frames] {
			out[i*d.channels+channel] = v
		}
		if width == 2 {
			for i, v := range d.right[:frames] {
				out[i*d.channels+channel+1] = v
			}
		}
		channel += width
	}
	return frames, nil
}

// skipElement skips an element without audio.
func skipElement(r *bitReader, kind uint32) {
	if kind == fill {
		n := int(r.read(4))
		if n == 15 {
			n += int(r.read(8)) - 1
		}
		r.skip(8 * n)
		return
	}
	r.read(4)
	align := r.read(1) == 1
	n := int(r.read(8))
	if n == 255 {
		n += int(r.read(8))
	}
	if align {
		r.skip(-r.at & 7)
	}
	r.skip(8 * n)
}

// element decodes one channel into left, or two into left and right.
func (d *Decoder) element(r *bitReader, width int) (int, error) {
	r.read(4 + 12)
	partial := r.read(1) == 1
	shift := 8 * int(r.read(2))
	verbatim := r.read(1) == 1
	frames := d.frames
	if partial {
		if n := r.read(32); n == 0 || n > uint32(d.frames) {
			return 0, errPacket
		} else {
			frames = int(n)
		}
	}
	if r.over || shift > 16 || shift >= d.depth {
		return 0, errPacket
	}
	if verbatim {
		return frames, d.verbatim(r, frames, width)
	}
	return frames, d.compressed(r, frames, width, shift)
}

func (d *Decoder) verbatim(r *bitReader, frames, width int) error {
	for i := range frames {
		d.left[i] = r.signed(d.depth)
		if width == 2 {
			d.right[i] = r.signed(d.depth)
		}
	}
	if r.over {
		return errPacket
	}
	return nil
}

func (d *Decoder) compressed(r *bitReader, frames, width, shift int) error {
	bits := d.depth - shift + width - 1 // a difference of two channels needs one more
	if bits > 32 {
		return errPacket
	}
	mixShift, mix := r.read(8), r.signed(8)
	var kinds [2]uint32
	var filters [2]predictor
	var codes [2]rice
	for ch := range width {
		kinds[ch] = r.read(4)
		filters[ch] = predictor{shift: uint(r.read(4)), width: bits}
		codes[ch] = rice{d.history, d.learning * r.read(3) / 4, d.limit, bits}
		filters[ch].coefficients = make([]int16, r.read(5))
		for i := range filters[ch].coefficients {
			filters[ch].coefficients[i] = int16(r.read(16))
		}
	}
	if shift > 0 {
		for i := range frames * width {
			d.low[i] = uint16(r.read(shift))
		}
	}
	for ch, samples := range [][]int32{d.left[:frames], d.right[:frames]}[:width] {
		if err := codes[ch].read(r, samples); err != nil {
			return err
		}
		if kinds[ch] != 0 {
			filters[ch].sumUp(samples)
		}
		if len(filters[ch].coefficients) == differences {
			filters[ch].sumUp(samples)
		} else {
			filters[ch].restore(samples)
		}
	}
	if width == 2 && mix != 0 {
		if mixShift > 31 {
			return errPacket
		}
		d.unmix(frames, mix, mixShift)
	}
	if shift > 0 {
		d.deepen(frames, width, shift)
	}
	return nil
}

// unmix converts the weighted sum and the difference of two channels to the channels.
func (d *Decoder) unmix(frames int, mix int32, mixShift uint32) {
	left, right := d.left[:frames], d.right[:frames]
	for i, sum := range left {
		difference := right[i]
		left[i] = sum + difference - mix*difference>>mixShift
		right[i] = left[i] - difference
	}
}

// deepen appends the lowest bits to the samples.
func (d *Decoder) deepen(frames, width, shift int) {
	for i := range frames {
		d.left[i] = d.left[i]<<shift | int32(d.low[i*width])
		if width == 2 {
			d.right[i] = d.right[i]<<shift | int32(d.low[i*width+1])
		}
	}
}
