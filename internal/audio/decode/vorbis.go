package decode

import (
	"errors"
	"fmt"

	"waxwing/internal/audio"
	"waxwing/internal/audio/vorbis"
	"waxwing/internal/media/ogg"
)

func openVorbis(r *ogg.Reader, stream *ogg.Stream) (audio.Source, error) {
	setup, err := stream.Setup.Bytes()
	if err != nil {
		return nil, err
	}
	decoder, err := vorbis.NewDecoder(stream.ID, setup)
	if errors.Is(err, vorbis.ErrUnsupported) {
		return nil, fmt.Errorf("%w: vorbis: %w", audio.ErrUnsupported, err)
	}
	if err != nil {
		return nil, fmt.Errorf("vorbis: %w", err)
	}
	return newOggSource(oggTrack{
		reader: r,
		stream: stream,
		codec:  &vorbisCodec{decoder: decoder, order: surroundOrder(decoder.Channels())},
		info:   audio.Info{Codec: "vorbis", Rate: decoder.Rate(), Channels: decoder.Channels()},
	}), nil
}

// vorbisCodec interleaves the channels of the decoder in WAVE order.
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

// surroundOrder lists, for each channel in WAVE order, its index in the order that Vorbis and Opus
// share. 6.1 is L R C LFE BC SL SR.
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
