package decode

import (
	"errors"
	"fmt"

	"waxwing/internal/audio"
	"waxwing/internal/audio/vorbis"
)

// openVorbis opens an Ogg file whose first sound is Vorbis.
func openVorbis(in audio.Input) (audio.Source, error) {
	source, err := openOggChain(in, openVorbisLink)
	if err != nil {
		return nil, fmt.Errorf("vorbis: %w", err)
	}
	return source, nil
}

func openVorbisLink(in audio.Input) (audio.Source, error) {
	reader := &oggReader{in: in}
	packets, identification, err := oggHeaders(reader, "\x01vorbis")
	if err != nil {
		return nil, err
	}
	loudness, err := oggLoudness(packets, "\x03vorbis")
	if err != nil {
		return nil, err
	}
	setup, err := packets.read()
	if err != nil {
		return nil, fmt.Errorf("read the setup: %w", noEOF(err))
	}
	decoder, err := vorbis.NewDecoder(identification, setup.data)
	if errors.Is(err, vorbis.ErrUnsupported) {
		return nil, fmt.Errorf("%w: %w", audio.ErrUnsupported, err)
	}
	if err != nil {
		return nil, err
	}
	return newOggSource(oggTrack{
		reader: reader,
		serial: packets.serial,
		start:  packets.next,
		limit:  packets.limit,
		codec:  &vorbisCodec{decoder: decoder, order: surroundOrder(decoder.Channels())},
		info: audio.Info{
			Codec:    "vorbis",
			Rate:     decoder.Rate(),
			Channels: decoder.Channels(),
			Loudness: loudness,
		},
	})
}

// vorbisCodec interleaves what the decoder yields, in the order of WAVE.
type vorbisCodec struct {
	decoder *vorbis.Decoder
	order   []int
	buf     []float32
}

func (c *vorbisCodec) reset() { c.decoder.Reset() }

func (c *vorbisCodec) decode(packet []byte) ([]float32, error) {
	channels, err := c.decoder.Decode(packet)
	if err != nil {
		return nil, err
	}
	width := len(c.order)
	size := len(channels[0]) * width
	if cap(c.buf) < size {
		c.buf = make([]float32, size)
	}
	c.buf = c.buf[:size]
	for to, from := range c.order {
		for i, s := range channels[from] {
			c.buf[i*width+to] = s
		}
	}
	return c.buf, nil
}

// surroundOrder lists, for each channel in the order of WAVE, its place in the order that
// Vorbis and Opus share. 6.1 is L R C LFE BC SL SR.
func surroundOrder(channels int) []int {
	return [][]int{
		{0},
		{0, 1},
		{0, 2, 1},
		{0, 1, 2, 3},
		{0, 2, 1, 3, 4},
		{0, 2, 1, 5, 3, 4},
		{0, 2, 1, 6, 5, 3, 4},
		{0, 2, 1, 7, 5, 6, 3, 4},
	}[channels-1]
}
