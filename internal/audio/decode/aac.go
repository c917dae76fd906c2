package decode

import (
	"errors"
	"fmt"

	"waxwing/internal/audio"
	"waxwing/internal/audio/aac"
	"waxwing/internal/media/mp4"
)

// aacCodec decodes the access units of AAC-LC.
type aacCodec struct {
	config  aac.Config
	decoder *aac.Decoder
}

func newAACCodec(config aac.Config, err error) (*aacCodec, error) {
	if err != nil {
		return nil, aacError(err)
	}
	return &aacCodec{config, aac.NewDecoder(config)}, nil
}

// aacError reports streams that the decoder does not support as an unsupported format.
func aacError(err error) error {
	if errors.Is(err, aac.ErrUnsupported) {
		return fmt.Errorf("%w: aac: %w", audio.ErrUnsupported, err)
	}
	return fmt.Errorf("aac: %w", err)
}

// probe decodes the first packets to detect HE-AAC that the configuration does not signal. Single
// packets may be damaged, so the majority decides.
func (c *aacCodec) probe(in audio.Input, packets *mp4.Samples) error {
	defer c.reset()
	var unsupported error
	votes := 0
	for i := range min(packets.Count, 4) {
		packet, err := packets.Read(in, i, nil)
		if err != nil {
			return fmt.Errorf("read the first packets: %w", err)
		}
		if _, err := c.decode(packet); errors.Is(err, aac.ErrUnsupported) {
			unsupported = err
			votes++
		} else if err == nil {
			votes--
		}
	}
	if votes > 0 {
		return aacError(unsupported)
	}
	return nil
}

// track returns the packets as a stream to play.
func (c *aacCodec) track(in audio.Input, packets *mp4.Samples) packetTrack {
	return packetTrack{
		in:      in,
		packets: packets,
		codec:   c,
		size:    aac.FrameSize,
		overlap: true,
		info: audio.Info{
			Codec:    "aac",
			Rate:     c.config.Rate,
			Channels: c.config.Channels(),
			Frames:   int64(packets.Count) * aac.FrameSize,
		},
	}
}

func (c *aacCodec) reset() { c.decoder.Reset() }

func (c *aacCodec) decode(packet []byte) ([]float32, error) { return c.decoder.Decode(packet) }
