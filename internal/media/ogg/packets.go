package ogg

import "io"

// maxPacket is the longest packet that is returned; longer ones are skipped.
const maxPacket = 1 << 20

// Packet is one packet of audio.
type Packet struct {
	Data    []byte
	Granule int64 // position after this packet, −1 when unknown
	last    bool  // of the stream
}

// Packets reassembles the packets of one logical stream. Pages of other streams are skipped;
// damaged pages are lost, and with them the packets that touch them.
type Packets struct {
	reader *Reader
	serial uint32
	limit  int64 // nothing at or after this offset belongs to the stream

	page    page
	segment int // next entry of page.lacing
	at      int // where that segment starts in page.content
	next    int64
	partial []byte
	skip    bool // the beginning of the current packet is lost
	started bool
}

// Packets returns the packets of the stream's audio.
func (s *Stream) Packets(r *Reader) *Packets {
	p := &Packets{reader: r, serial: s.Serial, limit: s.End}
	p.SeekPage(s.Start)
	return p
}

// SeekPage continues at the first page that starts at or after offset. The end of a packet that
// began before is left out.
func (p *Packets) SeekPage(offset int64) {
	*p = Packets{
		reader: p.reader, serial: p.serial, limit: p.limit,
		next: offset, partial: p.partial[:0], skip: true,
	}
}

// Next returns the next whole packet; its data is valid until the next call. It returns io.EOF
// when the stream has no more.
func (p *Packets) Next() (Packet, error) {
	p.partial = p.partial[:0]
	for {
		for p.segment < len(p.page.lacing) {
			size := int(p.page.lacing[p.segment])
			p.segment++
			piece := p.page.content[p.at : p.at+size]
			p.at += size
			if !p.skip {
				p.partial = append(p.partial, piece...)
				p.skip = len(p.partial) > maxPacket
			}
			if size == 255 {
				continue
			}
			if p.skip {
				p.skip = false
				p.partial = p.partial[:0]
				continue
			}
			packet := Packet{Data: p.partial, Granule: -1}
			if p.endsPage() {
				packet.Granule = p.page.granule
				packet.last = p.page.flags&flagLast != 0
			}
			return packet, nil
		}
		if err := p.turn(); err != nil {
			return Packet{}, err
		}
	}
}

// endsPage reports whether no further packet ends on the current page.
func (p *Packets) endsPage() bool {
	for _, n := range p.page.lacing[p.segment:] {
		if n < 255 {
			return false
		}
	}
	return true
}

// turn goes to the next page of the stream. The flag of its last page is ignored: some writers set
// it on several.
func (p *Packets) turn() error {
	before := p.page.sequence
	for {
		page, err := p.reader.next(p.next, p.limit, p.reader.pageAt)
		if err != nil {
			return err
		}
		p.next = page.end()
		if page.serial != p.serial {
			continue
		}
		if p.started && page.flags&flagFirst != 0 {
			return io.EOF // a second stream with the same serial number
		}
		p.page, p.segment, p.at = page, 0, 0
		break
	}
	whole := p.started && p.page.sequence == before+1
	p.started = true
	switch {
	case p.page.flags&flagContinued == 0:
		p.partial = p.partial[:0]
		p.skip = false
	case !whole || (len(p.partial) == 0 && !p.skip):
		p.partial = p.partial[:0]
		p.skip = true
	}
	return nil
}
