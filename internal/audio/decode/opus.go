package decode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/thesyncim/gopus"

	"waxwing/internal/audio"
	"waxwing/internal/media/ogg"
)

const (
	opusRate      = 48000
	opusMaxFrames = opusRate * 120 / 1000 // in one packet

	// How much is decoded before the target of a seek. RFC 7845 demands 80 ms; the filters of the
	// speech modes can remember a steady tone for minutes. See oggSource.seekExactly.
	opusRunUp    = 2 * opusRate
	opusMaxRunUp = 16 * opusRate
)

var errOpusHeader = errors.New("bad identification header")

func openOpus(r *ogg.Reader, stream *ogg.Stream) (audio.Source, error) {
	head, err := readOpusHead(stream.ID)
	if err != nil {
		return nil, fmt.Errorf("opus: %w", err)
	}
	codec, err := newOpusCodec(head)
	if err != nil {
		return nil, fmt.Errorf("opus: %w", err)
	}
	return newOggSource(oggTrack{
		reader:   r,
		stream:   stream,
		codec:    codec,
		info:     audio.Info{Codec: "opus", Rate: opusRate, Channels: len(head.mapping)},
		runUp:    opusRunUp,
		maxRunUp: opusMaxRunUp,
	}), nil
}

// opusHead is the identification header of RFC 7845.
type opusHead struct {
	gain    float64 // linear
	streams int
	coupled int    // how many of the streams are stereo
	mapping []byte // for each channel in WAVE order: the index of its decoded channel
}

func readOpusHead(data []byte) (opusHead, error) {
	if len(data) < 19 {
		return opusHead{}, errOpusHeader
	}
	if version := data[8]; version>>4 != 0 {
		return opusHead{}, fmt.Errorf("version %d: %w", version, audio.ErrUnsupported)
	}
	channels, family := int(data[9]), data[18]
	h := opusHead{gain: math.Pow(10, float64(int16(binary.LittleEndian.Uint16(data[16:])))/256/20)}
	switch {
	case family == 0 && (channels == 1 || channels == 2):
		h.streams, h.coupled = 1, channels-1
		h.mapping = []byte{0, 1}[:channels]
		return h, nil
	case family == 0 || channels == 0:
		return opusHead{}, errOpusHeader
	case family != 1 || channels > 8:
		return opusHead{}, fmt.Errorf("%w: channel mapping family %d with %d channels",
			audio.ErrUnsupported, family, channels)
	case len(data) < 21+channels:
		return opusHead{}, errOpusHeader
	}
	h.streams, h.coupled = int(data[19]), int(data[20])
	if h.streams == 0 || h.coupled > h.streams || h.streams > 8 {
		return opusHead{}, errOpusHeader
	}
	for _, from := range surroundOrder(channels) {
		m := data[21+from]
		if m != 255 && int(m) >= h.streams+h.coupled {
			return opusHead{}, errOpusHeader
		}
		h.mapping = append(h.mapping, m)
	}
	return h, nil
}

// opusCodec decodes packets of one or more elementary streams and applies the gain of the header.
type opusCodec struct {
	decoder *gopus.MultistreamDecoder
	head    opusHead
	buf     []float32
}

func newOpusCodec(head opusHead) (*opusCodec, error) {
	decoder, err := gopus.NewMultistreamDecoder(opusRate, len(head.mapping), head.streams, head.coupled, head.mapping)
	if err != nil {
		return nil, err
	}
	return &opusCodec{decoder, head, make([]float32, opusMaxFrames*len(head.mapping))}, nil
}

func (c *opusCodec) reset() { c.decoder.Reset() }

func (c *opusCodec) decode(packet []byte) (samples []float32, err error) {
	defer func() {
		if r := recover(); r != nil {
			c.decoder.Reset()
			samples, err = nil, fmt.Errorf("decoder failed: %v", r)
		}
	}()
	if len(packet) == 0 {
		return nil, errors.New("empty packet") // means a lost packet to the decoder
	}
	n, err := c.decoder.Decode(packet, c.buf)
	if err != nil {
		return nil, err
	}
	samples = c.buf[:n*len(c.head.mapping)]
	if gain := float32(c.head.gain); gain != 1 {
		for i := range samples {
			samples[i] *= gain
		}
	}
	return samples, nil
}
