package decode

import (
	"errors"
	"fmt"
	"io"

	aacpcm "github.com/tphakala/go-aac/pcm"

	"waxwing/internal/audio"
)

const (
	objectAAC    = 0x40 // MPEG-4 object type indications
	objectAAC2LC = 0x67

	aacFrames    = 1024
	aacMaxPacket = 1<<16 - 1
	aacStride    = 64 // about a second and a half; see packetTrack
)

// aacCodec decodes the access units of AAC-LC, mono or stereo.
type aacCodec struct {
	config   []byte
	rate     int
	channels int
	decoder  *aacpcm.Decoder
	feed     aacFeed
	raw      []byte
	out      []float32
}

// newAACCodec takes the AudioSpecificConfig of a stream. The error wraps audio.ErrUnsupported for
// everything that is not AAC-LC with one or two channels.
func newAACCodec(config []byte) (*aacCodec, error) {
	if signalsSBR(config) {
		return nil, fmt.Errorf("%w: HE-AAC", audio.ErrUnsupported)
	}
	c := &aacCodec{config: config}
	decoder, err := aacpcm.NewDecoder(&c.feed, aacpcm.WithRawStream(config))
	if err != nil {
		return nil, fmt.Errorf("%w: aac: %w", audio.ErrUnsupported, err)
	}
	c.decoder = decoder
	c.rate, c.channels = decoder.Info().SampleRate, decoder.Info().Channels
	c.raw = make([]byte, 2*aacFrames*c.channels)
	c.out = make([]float32, aacFrames*c.channels)
	return c, nil
}

// probe decodes the first packets to find out about HE-AAC that the configuration keeps silent about.
func (c *aacCodec) probe(in audio.Input, packets *packetTable) error {
	defer c.reset()
	for i := range min(packets.count, 4) {
		packet, err := packets.read(in, i, nil)
		if err != nil {
			return fmt.Errorf("read the first packets: %w", err)
		}
		if _, err := c.decode(packet); errors.Is(err, aacpcm.ErrUnsupported) {
			return fmt.Errorf("%w: aac: %w", audio.ErrUnsupported, err)
		}
	}
	return nil
}

func (c *aacCodec) reset() {
	c.feed.data = nil
	// The configuration was accepted before, so this cannot fail.
	_ = c.decoder.Reset(&c.feed, aacpcm.WithRawStream(c.config))
}

func (c *aacCodec) decode(packet []byte) (samples []float32, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("decoder failed: %v", r)
		}
		if err != nil {
			samples = nil
			c.reset()
		}
	}()
	if len(packet) > aacMaxPacket {
		return nil, fmt.Errorf("packet of %d bytes", len(packet))
	}
	c.feed.load(packet)
	if _, err := io.ReadFull(c.decoder, c.raw); err != nil {
		return nil, err
	}
	for i := range c.out {
		c.out[i] = float32(int16(uint16(c.raw[2*i])|uint16(c.raw[2*i+1])<<8)) / (1 << 15)
	}
	return c.out, nil
}

// aacFeed hands one packet to the decoder, which wants its length before it.
type aacFeed struct {
	data []byte
	buf  []byte
}

var errNoPacket = errors.New("the packet holds less than a frame")

func (f *aacFeed) load(packet []byte) {
	f.buf = append(f.buf[:0], byte(len(packet)>>8), byte(len(packet)))
	f.buf = append(f.buf, packet...)
	f.data = f.buf
}

func (f *aacFeed) Read(p []byte) (int, error) {
	if len(f.data) == 0 {
		return 0, errNoPacket
	}
	n := copy(p, f.data)
	f.data = f.data[n:]
	return n, nil
}
