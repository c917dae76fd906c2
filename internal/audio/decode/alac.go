package decode

import (
	"errors"
	"fmt"

	"waxwing/internal/audio"
	"waxwing/internal/audio/alac"
	"waxwing/internal/media/mp4"
)

// alacCodec decodes packets to floats in WAVE order.
type alacCodec struct {
	decoder *alac.Decoder
	order   []int
	whole   []int32
	out     []float32
}

func newALACCodec(config []byte) (*alacCodec, error) {
	decoder, err := alac.NewDecoder(config)
	if errors.Is(err, alac.ErrUnsupported) {
		return nil, fmt.Errorf("%w: alac: %w", audio.ErrUnsupported, err)
	}
	if err != nil {
		return nil, fmt.Errorf("alac: %w", err)
	}
	size := decoder.MaxFrames() * decoder.Channels()
	return &alacCodec{decoder, alacOrder(decoder.Channels()), make([]int32, size), make([]float32, size)}, nil
}

// track returns the packets as a stream to play.
func (c *alacCodec) track(in audio.Input, packets *mp4.Samples) packetTrack {
	return packetTrack{
		in:      in,
		packets: packets,
		codec:   c,
		size:    int64(c.decoder.MaxFrames()),
		info: audio.Info{
			Codec: "alac", Rate: c.decoder.Rate(), Channels: c.decoder.Channels(), Depth: c.decoder.Depth(),
		},
	}
}

func (c *alacCodec) reset() {}

func (c *alacCodec) decode(packet []byte) ([]float32, error) {
	frames, err := c.decoder.Decode(packet, c.whole)
	if err != nil {
		return nil, err
	}
	scale := 1 / float32(int64(1)<<(c.decoder.Depth()-1))
	width := len(c.order)
	for to, from := range c.order {
		for i := range frames {
			c.out[i*width+to] = float32(c.whole[i*width+from]) * scale
		}
	}
	return c.out[:frames*width], nil
}

// alacOrder lists, for each channel in WAVE order, its index in ALAC's order, which starts with the
// centre.
func alacOrder(channels int) []int {
	return [][]int{
		{0},
		{0, 1},
		{1, 2, 0},
		{1, 2, 0, 3},
		{1, 2, 0, 3, 4},
		{1, 2, 0, 5, 3, 4},
		{1, 2, 0, 6, 5, 3, 4},
		{3, 4, 0, 7, 5, 6, 1, 2},
	}[channels-1]
}

// alacMask returns the WAVE mask of ALAC's layouts: four channels are L R C and a back centre,
// eight have a second front pair.
func alacMask(channels int) uint32 {
	switch channels {
	case 4:
		return fronts | audio.FrontCenter | audio.BackCenter
	case 8:
		return fronts | audio.FrontCenter | audio.LowFrequency | backs | wides
	}
	return 0
}
