package decode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/thesyncim/gopus"

	"waxwing/internal/audio"
)

const (
	opusRate      = 48000
	opusMaxFrames = opusRate * 120 / 1000 // in one packet

	// How much is decoded before a place that was sought. The format asks for 80 ms; the filters of
	// its speech modes can remember a steady tone for a minute. See oggSource.place.
	opusRunUp    = 2 * opusRate
	opusFarthest = 64 * opusRate
)

var errOpusHeader = errors.New("bad identification header")

// openOpus opens an Ogg file whose first sound is Opus.
func openOpus(in audio.Input) (audio.Source, error) {
	source, err := openOggChain(in, openOpusLink)
	if err != nil {
		return nil, fmt.Errorf("opus: %w", err)
	}
	return source, nil
}

func openOpusLink(in audio.Input) (audio.Source, error) {
	reader := &oggReader{in: in}
	packets, identification, err := oggHeaders(reader, "OpusHead")
	if err != nil {
		return nil, err
	}
	head, err := readOpusHead(identification)
	if err != nil {
		return nil, err
	}
	loudness, err := oggLoudness(packets, "OpusTags")
	if err != nil {
		return nil, err
	}
	codec, err := newOpusCodec(head)
	if err != nil {
		return nil, err
	}
	return newOggSource(oggTrack{
		reader: reader,
		serial: packets.serial,
		start:  packets.next,
		limit:  packets.limit,
		codec:  codec,
		info: audio.Info{
			Codec:    "opus",
			Rate:     opusRate,
			Channels: len(head.mapping),
			Loudness: loudness,
		},
		delay:    head.skip,
		runUp:    opusRunUp,
		farthest: opusFarthest,
	})
}

// opusHead is the identification header of RFC 7845.
type opusHead struct {
	skip    int64   // frames before the first that is to be heard
	gain    float64 // linear
	streams int
	coupled int    // how many of the streams are stereo
	mapping []byte // for each channel in the order of WAVE: the decoded channel it takes
}

func readOpusHead(data []byte) (opusHead, error) {
	if len(data) < 19 {
		return opusHead{}, errOpusHeader
	}
	if version := data[8]; version>>4 != 0 {
		return opusHead{}, fmt.Errorf("version %d: %w", version, audio.ErrUnsupported)
	}
	channels, family := int(data[9]), data[18]
	h := opusHead{
		skip: int64(binary.LittleEndian.Uint16(data[10:])),
		gain: math.Pow(10, float64(int16(binary.LittleEndian.Uint16(data[16:])))/256/20),
	}
	switch {
	case family == 0 && (channels == 1 || channels == 2):
		h.streams, h.coupled = 1, channels-1
		h.mapping = []byte{0, 1}[:channels]
		return h, nil
	case family == 0 || channels == 0:
		return opusHead{}, errOpusHeader
	case family != 1 || channels > 8:
		return opusHead{}, fmt.Errorf("channel mapping family %d with %d channels: %w", family, channels, audio.ErrUnsupported)
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

// opusCodec decodes packets of one or more elementary streams and applies the header's gain.
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
		return nil, errors.New("empty packet") // the decoder would take it for a lost one
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
