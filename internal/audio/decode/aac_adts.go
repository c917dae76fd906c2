package decode

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"waxwing/internal/audio"
	"waxwing/internal/audio/aac"
	"waxwing/internal/media/mp4"
	"waxwing/internal/media/mpeg"
)

// adtsMaxJunk is the total number of bytes outside of frames that a stream may contain.
const adtsMaxJunk = 1 << 20

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
	r := bufio.NewReaderSize(io.NewSectionReader(in, 0, in.Size()), 1<<16)
	at, junk := int64(0), 0
	for {
		head, err := r.Peek(mpeg.ADTSHeaderSize)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, first, err
		}
		frame, ok := mpeg.ParseADTS(head)
		if ok && table.Count > 0 {
			ok = frame.SameStream(first)
		}
		if !ok {
			if junk++; junk > adtsMaxJunk {
				return nil, first, errors.New("too many bytes that are no frame")
			}
			at++
			if _, err := r.Discard(1); err != nil {
				return nil, first, err
			}
			continue
		}
		if at+int64(frame.Length) > in.Size() {
			break
		}
		if frame.Blocks > 1 {
			return nil, first, fmt.Errorf("%w: several packets behind one header", audio.ErrUnsupported)
		}
		if table.Count == 0 {
			first = frame
		}
		table.Append(at+int64(frame.HeaderLen), frame.Length-frame.HeaderLen)
		at += int64(frame.Length)
		if _, err := r.Discard(frame.Length); err != nil {
			return nil, first, err
		}
	}
	if table.Count == 0 {
		return nil, first, fmt.Errorf("no frame: %w", io.ErrUnexpectedEOF)
	}
	return table, first, nil
}
