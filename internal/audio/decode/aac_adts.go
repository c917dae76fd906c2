package decode

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"waxwing/internal/audio"
	"waxwing/internal/audio/aac"
)

const (
	adtsHeader   = 7
	adtsChecksum = 2
	adtsMaxJunk  = 1 << 20 // bytes that are no frame, in all
)

// openADTS opens bare AAC-LC, each packet behind a header of its own. Such a file says nothing about
// its length or the encoder's delay: all headers are read, and all
// that the packets hold is played.
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
	packet, err := packets.read(in, 0, nil)
	if err != nil {
		return nil, err
	}
	codec, err := newAACCodec(aac.ConfigFromADTS(first.profile, first.rate, first.channels, packet))
	if err != nil {
		return nil, err
	}
	if err := codec.probe(in, packets); err != nil {
		return nil, err
	}
	source := newPacketSource(codec.track(in, packets))
	return inWaveOrder(source, codec.config.Speakers()), nil
}

// adtsFrame is a header.
type adtsFrame struct {
	profile  int
	rate     int // index
	channels int // configuration
	header   int // bytes
	size     int // bytes, header included
	blocks   int
}

func parseADTS(h []byte) (adtsFrame, bool) {
	if h[0] != 0xff || h[1]&0xf6 != 0xf0 {
		return adtsFrame{}, false
	}
	f := adtsFrame{
		profile:  int(h[2] >> 6),
		rate:     int(h[2] >> 2 & 15),
		channels: int(h[2]&1<<2 | h[3]>>6),
		header:   adtsHeader,
		size:     int(h[3]&3)<<11 | int(h[4])<<3 | int(h[5])>>5,
		blocks:   int(h[6]&3) + 1,
	}
	if h[1]&1 == 0 {
		f.header += adtsChecksum
	}
	return f, f.rate < 13 && f.size > f.header
}

// scanADTS finds all packets and returns the header of the first.
func scanADTS(in audio.Input) (*packetTable, adtsFrame, error) {
	table := &packetTable{sizes: []uint32{}}
	var first adtsFrame
	r := bufio.NewReaderSize(io.NewSectionReader(in, 0, in.Size()), 1<<16)
	at, junk := int64(0), 0
	for {
		head, err := r.Peek(adtsHeader)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, first, err
		}
		frame, ok := parseADTS(head)
		if ok && table.count > 0 {
			ok = frame.profile == first.profile && frame.rate == first.rate && frame.channels == first.channels
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
		if at+int64(frame.size) > in.Size() {
			break
		}
		if frame.blocks > 1 {
			return nil, first, fmt.Errorf("%w: several packets behind one header", audio.ErrUnsupported)
		}
		if table.count == 0 {
			first = frame
		}
		// A chunk for each packet, since headers lie between them.
		table.chunks = append(table.chunks, packetChunk{table.count, at + int64(frame.header)})
		table.sizes = append(table.sizes, uint32(frame.size-frame.header))
		table.count++
		at += int64(frame.size)
		if _, err := r.Discard(frame.size); err != nil {
			return nil, first, err
		}
	}
	if table.count == 0 {
		return nil, first, fmt.Errorf("no frame: %w", io.ErrUnexpectedEOF)
	}
	return table, first, nil
}
