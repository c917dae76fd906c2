package tags

import (
	"bytes"
	"io"
	"waxwing/internal/media/id3"
	"waxwing/internal/media/window"
)

const (
	id3HeaderLen = id3.HeaderSize
	maxID3Frames = 4096
	maxID3Text   = 64 << 10
	maxID3Tag    = 32 << 20 // an unsynchronised tag must be held whole to be read; larger ones are passed over
)

func synchsafe(b []byte) int64 {
	return int64(b[0]&0x7f)<<21 | int64(b[1]&0x7f)<<14 | int64(b[2]&0x7f)<<7 | int64(b[3]&0x7f)
}

// id3v2 reads one tag. A tag that is cut off gives what it holds up to there.
func (p *parser) id3v2(off int64) error {
	head, err := p.Peek(off, id3HeaderLen)
	if err != nil || id3.TagSize(head) == 0 {
		return err
	}
	version, flags, size := head[3], head[5], synchsafe(head[6:10])
	size = min(size, p.Size()-off-id3HeaderLen)
	p.fields.nextTag()
	tag := id3Tag{parser: p, w: p.Reader, version: version, pos: off + id3HeaderLen, end: off + id3HeaderLen + size}
	if flags&0x80 != 0 && version < 4 {
		if size > maxID3Tag {
			return nil
		}
		body, err := io.ReadAll(io.NewSectionReader(p.Reader, tag.pos, size))
		if err != nil {
			return err
		}
		body = synchronise(body)
		tag.whole = Range{tag.pos, size}
		tag.w = window.New(bytes.NewReader(body), int64(len(body)))
		tag.pos, tag.end = 0, int64(len(body))
	}
	if flags&0x40 != 0 {
		if version == 2 {
			return nil // a compressed tag: the compression was never defined
		}
		tag.skipExtendedHeader()
	}
	return tag.frames()
}

// id3Tag is one tag on its way through its frames.
type id3Tag struct {
	*parser
	w        *window.Reader // of the file, or of the synchronised copy of the tag
	whole    Range          // where in the file the tag lies, when w is a copy
	version  byte
	pos, end int64
}

func (t *id3Tag) skipExtendedHeader() {
	b, err := t.w.At(t.pos, 4)
	if err != nil {
		return
	}
	if t.version == 4 {
		t.pos += max(synchsafe(b), 6)
		return
	}
	t.pos += 4 + int64(beUint32(b))
}

// id3Frame is a frame header, understood.
type id3Frame struct {
	id         string
	off, size  int64 // of the content
	unsync     bool
	compressed bool
	lengthInfo bool
	unreadable bool // encrypted
}

func (t *id3Tag) frames() error {
	for range maxID3Frames {
		f, ok := t.header()
		if !ok {
			return nil
		}
		if err := t.frame(f); err != nil {
			return err
		}
		t.pos = f.off + f.size
	}
	return nil
}

func (t *id3Tag) header() (id3Frame, bool) {
	n := 10
	if t.version == 2 {
		n = 6
	}
	if t.pos < 0 || t.pos+int64(n) > t.end {
		return id3Frame{}, false
	}
	b, err := t.w.At(t.pos, n)
	if err != nil || b[0] == 0 {
		return id3Frame{}, false
	}
	f := id3Frame{off: t.pos + int64(n)}
	if t.version == 2 {
		f.id, f.size = string(b[:3]), int64(b[3])<<16|int64(b[4])<<8|int64(b[5])
		return f, validFrameID(f.id) && f.off+f.size <= t.end
	}
	f.id = string(b[:4])
	plain, safe, flags := int64(beUint32(b[4:])), synchsafe(b[4:8]), b[9]
	f.size = plain
	if t.version == 4 {
		f.size = safe
		f.unsync, f.compressed, f.lengthInfo = flags&0x02 != 0, flags&0x08 != 0, flags&0x01 != 0
		f.unreadable = flags&0x04 != 0
		// iTunes once wrote plain sizes here; the one that leads to another frame is right.
		if plain != safe && !t.frameAt(f.off+safe) && t.frameAt(f.off+plain) {
			f.size = plain
		}
	} else {
		f.compressed, f.unreadable = flags&0x80 != 0, flags&0x40 != 0
	}
	return f, validFrameID(f.id) && f.off+f.size <= t.end
}

// frameAt reports whether a frame, padding or the end of the tag is at off.
func (t *id3Tag) frameAt(off int64) bool {
	if off == t.end {
		return true
	}
	if off < 0 || off+4 > t.end {
		return false
	}
	b, err := t.w.At(off, 4)
	return err == nil && (b[0] == 0 || validFrameID(string(b)))
}

func validFrameID(id string) bool {
	for i := range len(id) {
		if c := id[i]; (c < 'A' || c > 'Z') && !isDigit(c) {
			return false
		}
	}
	return true
}

// synchronise undoes the unsynchronisation scheme: a zero byte after 0xff is dropped.
func synchronise(b []byte) []byte {
	out := b[:0]
	for i := 0; i < len(b); i++ {
		out = append(out, b[i])
		if b[i] == 0xff && i+1 < len(b) && b[i+1] == 0 {
			i++
		}
	}
	return out
}

func beUint32(b []byte) uint32 {
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}
