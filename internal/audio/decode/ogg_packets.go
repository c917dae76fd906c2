package decode

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"waxwing/internal/audio"
)

const (
	oggMaxHeader = 32 << 20 // comments may carry pictures
	oggMaxPacket = 1 << 20
)

// oggPacket is one packet of a logical stream.
type oggPacket struct {
	data    []byte
	granule int64 // position after this packet, −1 when its page does not tell
	last    bool  // the stream says that nothing follows
	page    int64 // offset of the page on which it ends
}

// oggPackets puts the packets of one logical stream together again. Pages of
// other streams are passed over; damaged pages are lost, and with them the
// packets that touch them.
type oggPackets struct {
	reader *oggReader
	serial uint32
	limit  int64 // nothing at or after this offset belongs to the stream
	max    int   // longest packet that is kept

	page    oggPage
	segment int // next entry of page.lacing
	at      int // where that segment starts in page.body
	next    int64
	partial []byte
	skip    bool // the packet under way has lost its beginning
	started bool
}

// seek continues at the page that starts at or after offset. The end of a
// packet that began before is left out.
func (p *oggPackets) seek(offset int64) {
	p.page = oggPage{}
	p.segment, p.at = 0, 0
	p.next = offset
	p.partial = p.partial[:0]
	p.skip = true
	p.started = false
}

// read returns the next whole packet; its data is valid until the next call. It
// returns io.EOF when the stream has no more.
func (p *oggPackets) read() (oggPacket, error) {
	p.partial = p.partial[:0]
	for {
		for p.segment < len(p.page.lacing) {
			size := int(p.page.lacing[p.segment])
			p.segment++
			piece := p.page.body[p.at : p.at+size]
			p.at += size
			if !p.skip {
				p.partial = append(p.partial, piece...)
				if len(p.partial) > p.max {
					p.skip = true
				}
			}
			if size == 255 {
				continue
			}
			if p.skip {
				p.skip = false
				p.partial = p.partial[:0]
				continue
			}
			packet := oggPacket{data: p.partial, granule: -1, page: p.page.offset}
			if p.endsPage() {
				packet.granule = p.page.granule
				packet.last = p.page.flags&oggLast != 0
			}
			return packet, nil
		}
		if err := p.turn(); err != nil {
			return oggPacket{}, err
		}
	}
}

// endsPage tells whether no further packet ends on the current page.
func (p *oggPackets) endsPage() bool {
	for _, n := range p.page.lacing[p.segment:] {
		if n < 255 {
			return false
		}
	}
	return true
}

// turn goes to the next page of the stream.
func (p *oggPackets) turn() error {
	if p.started && p.page.flags&oggLast != 0 {
		return io.EOF
	}
	before := p.page.sequence
	for {
		page, err := p.reader.pageFrom(p.next, p.limit)
		if errors.Is(err, errNoOggPage) {
			return io.EOF
		}
		if err != nil {
			return err
		}
		p.next = page.end()
		if page.serial != p.serial {
			continue
		}
		if p.started && page.flags&oggFirst != 0 {
			return io.EOF // a second stream under the same number
		}
		p.page, p.segment, p.at = page, 0, 0
		break
	}
	whole := p.started && p.page.sequence == before+1
	p.started = true
	continued := p.page.flags&oggContinued != 0
	switch {
	case !continued:
		p.partial = p.partial[:0]
		p.skip = false
	case !whole || (len(p.partial) == 0 && !p.skip):
		p.partial = p.partial[:0]
		p.skip = true
	}
	return nil
}

// oggHeaders finds the first logical stream whose first packet starts with magic
// and returns its packets reader, positioned at the second packet, with
// a copy of the first.
func oggHeaders(reader *oggReader, magic string) (*oggPackets, []byte, error) {
	limit := reader.in.Size()
	for offset := int64(0); ; {
		page, err := reader.pageFrom(offset, limit)
		if err != nil {
			return nil, nil, fmt.Errorf("find the stream: %w", noEOF(err))
		}
		if page.flags&oggFirst == 0 {
			return nil, nil, fmt.Errorf("find the stream: no header that starts with %q", magic)
		}
		if len(page.body) >= len(magic) && string(page.body[:len(magic)]) == magic {
			packets := &oggPackets{reader: reader, serial: page.serial, limit: limit, max: oggMaxHeader}
			packets.seek(page.offset)
			first, err := packets.read()
			if err != nil {
				return nil, nil, fmt.Errorf("read the first header: %w", noEOF(err))
			}
			return packets, append([]byte(nil), first.data...), nil
		}
		offset = page.end()
	}
}

// oggLoudness reads the second packet, the comments behind their magic, for what they say of the level.
func oggLoudness(packets *oggPackets, magic string) (audio.Loudness, error) {
	comments, err := packets.read()
	if err != nil {
		return audio.Loudness{}, fmt.Errorf("read the comments: %w", noEOF(err))
	}
	block, ok := bytes.CutPrefix(comments.data, []byte(magic))
	if !ok {
		return audio.Loudness{}, nil
	}
	return loudnessFromComments(vorbisComments(block)), nil
}

// noEOF turns an early end into an error that no caller takes for a good one.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
