package tags

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"io"
	"waxwing/internal/media/window"
)

const (
	oggHeaderLen = 27
	maxOggPages  = 4096 // of headers; a comment packet with the largest picture has fewer
)

// oggPage is one page: where it lies and what its header says.
type oggPage struct {
	off, body int64
	bodyLen   int64
	granule   int64
	serial    uint32
	continued bool
	lacing    []byte
}

func readOggPage(w *window.Reader, off int64) (oggPage, error) {
	b, err := w.At(off, oggHeaderLen)
	if err != nil {
		return oggPage{}, err
	}
	if !has(b, 0, "OggS") || b[4] != 0 {
		return oggPage{}, window.Damaged("an Ogg page is missing")
	}
	p := oggPage{
		off: off, continued: b[5]&1 != 0, granule: int64(binary.LittleEndian.Uint64(b[6:])), serial: binary.LittleEndian.Uint32(b[14:]),
	}
	segments := int(b[26])
	if b, err = w.At(off+oggHeaderLen, segments); err != nil {
		return oggPage{}, err
	}
	p.lacing = bytes.Clone(b)
	p.body = off + oggHeaderLen + int64(segments)
	for _, n := range p.lacing {
		p.bodyLen += int64(n)
	}
	return p, nil
}

func (p oggPage) end() int64 { return p.body + p.bodyLen }

// oggPacket is a packet as the pieces of it that lie in the pages.
type oggPacket struct {
	w      *window.Reader
	pieces []Range
	size   int64
	joined []byte
}

func (k *oggPacket) append(piece Range) {
	k.size += piece.Len
	if last := len(k.pieces) - 1; last >= 0 && k.pieces[last].Off+k.pieces[last].Len == piece.Off {
		k.pieces[last].Len += piece.Len
		return
	}
	k.pieces = append(k.pieces, piece)
}

func (k *oggPacket) length() int64 { return k.size }

func (k *oggPacket) locate(off int64) (int64, coding) { return off, codingOgg }

func (k *oggPacket) read(off int64, n int) ([]byte, error) {
	if n < 0 || n > window.MaxRead || off < 0 || off > k.size-int64(n) {
		return nil, window.Damaged("an Ogg packet is cut off")
	}
	k.joined = k.joined[:0]
	for _, piece := range k.pieces {
		if off >= piece.Len {
			off -= piece.Len
			continue
		}
		take := min(piece.Len-off, int64(n-len(k.joined)))
		b, err := k.w.At(piece.Off+off, int(take))
		if err != nil {
			return nil, err
		}
		k.joined = append(k.joined, b...)
		if len(k.joined) == n {
			break
		}
		off = 0
	}
	return k.joined, nil
}

// oggHeaders finds the header packets of the first stream in the file that is sound (the first is the
// stream's, the second holds the comments, Vorbis has a third), and where the page after them begins.
func oggHeaders(w *window.Reader) (packets [3]oggPacket, serial uint32, after int64, err error) {
	off := int64(0)
	chosen := false
	done, wanted := 0, 2
	for range maxOggPages {
		page, err := readOggPage(w, off)
		if err != nil {
			return packets, 0, 0, err
		}
		off = page.end()
		if !chosen {
			head, err := w.Peek(page.body, 8)
			if err != nil {
				return packets, 0, 0, err
			}
			format := oggFormat(head)
			if page.continued || format == "" {
				continue
			}
			if format == Vorbis {
				wanted = 3
			}
			chosen, serial = true, page.serial
		}
		if page.serial != serial {
			continue
		}
		at := page.body
		for _, n := range page.lacing {
			k := &packets[done]
			k.w = w
			k.append(Range{at, int64(n)})
			at += int64(n)
			if n < 255 {
				if done++; done == wanted {
					return packets, serial, off, nil
				}
			}
		}
	}
	return packets, 0, 0, window.Damaged("the Ogg headers do not end")
}

func oggFormat(b []byte) Format {
	switch {
	case has(b, 0, "\x01vorbis"):
		return Vorbis
	case has(b, 0, "OpusHead"):
		return Opus
	case has(b, 0, "\x7fFLAC"):
		return FLAC
	case has(b, 0, "Speex   "):
		return Speex
	}
	return ""
}

func (p *parser) ogg() error {
	packets, serial, after, err := oggHeaders(p.Reader)
	if err != nil {
		return err
	}
	head, err := packets[0].read(0, int(min(packets[0].size, 80)))
	if err != nil {
		return err
	}
	t := &p.tags
	t.Format = oggFormat(head)
	var preSkip int64
	clock, comments := 0, int64(0)
	switch {
	case t.Format == Vorbis && len(head) >= 30:
		t.Channels, t.SampleRate = int(head[11]), int(binary.LittleEndian.Uint32(head[12:]))
		clock, comments = t.SampleRate, 7
	case t.Format == Opus && len(head) >= 19:
		t.Channels, t.SampleRate = int(head[9]), 48000
		preSkip, clock, comments = int64(binary.LittleEndian.Uint16(head[10:])), 48000, 8
	case t.Format == FLAC && len(head) >= 13+4+34:
		if !p.streamInfo(head[17:51]) {
			return window.Damaged("the FLAC stream header is not valid")
		}
		clock, comments = t.SampleRate, 4
	case t.Format == Speex && len(head) >= 52:
		t.SampleRate, t.Channels = int(binary.LittleEndian.Uint32(head[36:])), int(binary.LittleEndian.Uint32(head[48:])&7)
		clock = t.SampleRate
	default:
		return window.Damaged("the Ogg stream header is cut off")
	}
	if clock <= 0 || clock > 1<<20 {
		return window.Damaged("an Ogg stream of %d Hz is not believable", clock)
	}
	p.fields.nextTag()
	if err := p.vorbisComments(offsetSection{&packets[1], comments}); err != nil {
		return err
	}
	t.Audio, p.paged = Range{after, p.Size() - after}, true
	last, err := p.oggEnd(after, serial)
	if err != nil {
		return err
	}
	if last > 0 {
		t.Duration = samplesToTime(max(last-preSkip, 0), clock)
	}
	t.Bitrate = averageBitrate(t.Audio.Len, t.Duration)
	return nil
}

// oggEnd returns the position in samples that the last page of the stream gives, 0 when none is found near the end.
func (p *parser) oggEnd(after int64, serial uint32) (int64, error) {
	for tail := int64(window.PageSize); ; tail *= 8 {
		from := max(after, p.Size()-tail)
		b, err := p.Peek(from, int(p.Size()-from))
		if err != nil {
			return 0, err
		}
		last := int64(0)
		for {
			i := bytes.Index(b, []byte("OggS"))
			if i < 0 || i+oggHeaderLen > len(b) {
				break
			}
			if g := int64(binary.LittleEndian.Uint64(b[i+6:])); g > 0 && binary.LittleEndian.Uint32(b[i+14:]) == serial {
				last = g
			}
			b = b[i+4:]
		}
		if last > 0 || from == after || tail*8 > window.MaxRead {
			return last, nil
		}
	}
}

// offsetSection is a section without its first bytes.
type offsetSection struct {
	section
	skip int64
}

func (s offsetSection) length() int64 { return s.section.length() - s.skip }

func (s offsetSection) locate(off int64) (int64, coding) { return s.section.locate(off + s.skip) }

func (s offsetSection) read(off int64, n int) ([]byte, error) {
	if off < 0 {
		return nil, window.Damaged("an Ogg packet is cut off")
	}
	return s.section.read(off+s.skip, n)
}

// decodeBase64Head decodes the start of a base64 text that may be cut anywhere.
func decodeBase64Head(b []byte) ([]byte, error) {
	b = b[:len(b)&^3]
	return base64.RawStdEncoding.DecodeString(string(bytes.TrimRight(b, "=")))
}

// readOgg reads a picture from the comment packet, whose pages must be followed again.
func (p Picture) readOgg(r io.ReaderAt, size int64) ([]byte, error) {
	w := window.New(r, size).From(p.outer.Off)
	packets, _, _, err := oggHeaders(w)
	if err != nil {
		return nil, err
	}
	k := packets[1]
	if p.Off < 0 || p.Off > k.size-p.Len {
		return nil, window.Damaged("the picture is cut off")
	}
	text := make([]byte, 0, p.Len)
	for int64(len(text)) < p.Len {
		b, err := k.read(p.Off+int64(len(text)), int(min(p.Len-int64(len(text)), window.MaxRead)))
		if err != nil {
			return nil, err
		}
		text = append(text, b...)
	}
	return base64Picture(string(text))
}
