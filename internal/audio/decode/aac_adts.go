package decode

import (
	"fmt"
	"io"

	"waxwing/internal/audio"
	"waxwing/internal/audio/aac"
	"waxwing/internal/media/mp4"
	"waxwing/internal/media/mpeg"
	"waxwing/internal/media/window"
)

// openADTS opens raw AAC-LC, each packet behind a header of its own. Such a file states neither its
// length nor the encoder's delay: all headers are read, and all samples are played.
func openADTS(in audio.Input) (audio.Source, error) {
	source, err := openADTSStream(in)
	if err != nil {
		return nil, fmt.Errorf("adts: %w", err)
	}
	return source, nil
}

func openADTSStream(in audio.Input) (audio.Source, error) {
	packets, first, err := scanADTS(in)
	if err != nil {
		return nil, err
	}
	packet, err := packets.Read(in, 0, nil)
	if err != nil {
		return nil, err
	}
	codec, err := newAACCodec(aac.ConfigFromADTS(first.Profile, first.RateIndex, first.ChannelConfig, packet))
	if err != nil {
		return nil, err
	}
	if err := codec.probe(in, packets); err != nil {
		return nil, err
	}
	source := newPacketSource(codec.track(in, packets))
	return inWaveOrder(source, codec.config.Speakers()), nil
}

// scanADTS finds all packets and returns the header of the first.
func scanADTS(in audio.Input) (*mp4.Samples, mpeg.ADTSHeader, error) {
	table := &mp4.Samples{}
	var first mpeg.ADTSHeader
	err := mpeg.WalkADTS(window.NewSize(in, in.Size(), 1<<16), func(at int64, frame mpeg.ADTSHeader) error {
		if frame.Blocks > 1 {
			return fmt.Errorf("%w: several packets behind one header", audio.ErrUnsupported)
		}
		if table.Count == 0 {
			first = frame
		}
		table.Append(at+int64(frame.HeaderLen), frame.Length-frame.HeaderLen)
		return nil
	})
	if err == nil && table.Count == 0 {
		err = fmt.Errorf("no frame: %w", io.ErrUnexpectedEOF)
	}
	return table, first, err
}
