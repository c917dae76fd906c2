package id3

import (
	"bytes"
	"encoding/binary"
	"io"

	"waxwing/internal/media/window"
)

const (
	maxFrames = 4096
	// MaxTag is the largest unsynchronised tag that is read: it must be copied as a whole.
	MaxTag = 32 << 20
)

// Tag is an ID3v2 tag.
type Tag struct {
	w        *window.Reader // of the file, or of the decoded copy of an unsynchronised tag
	off, len int64          // of the encoded body in the file if w is a copy, else 0
	version  byte
	pos, end int64
	frames   int
}

// Open returns the tag at off, nil if there is none or it cannot be read. A truncated tag has the
// frames before the cut.
func Open(w *window.Reader, off int64) (*Tag, error) {
	head, err := w.Peek(off, HeaderSize)
	if err != nil || TagSize(head) == 0 {
		return nil, err
	}
	version, flags := head[3], head[5]
	size := min(synchsafe(head[6:10]), w.Size()-off-HeaderSize)
	t := &Tag{w: w, version: version, pos: off + HeaderSize, end: off + HeaderSize + size}
	if flags&0x80 != 0 && version < 4 {
		if size > MaxTag {
			return nil, nil
		}
		body, err := io.ReadAll(io.NewSectionReader(w, t.pos, size))
		if err != nil {
			return nil, err
		}
		body = Synchronise(body)
		t.off, t.len = t.pos, size
		t.w = window.New(bytes.NewReader(body), int64(len(body)))
		t.pos, t.end = 0, int64(len(body))
	}
	if flags&0x40 != 0 {
		if version == 2 {
			return nil, nil // compressed by a method that was never specified
		}
		t.skipExtendedHeader()
	}
	return t, nil
}

func (t *Tag) skipExtendedHeader() {
	b, err := t.w.At(t.pos, 4)
	if err != nil {
		return
	}
	if t.version == 4 {
		t.pos += max(synchsafe(b), 6)
		return
	}
	t.pos += 4 + int64(binary.BigEndian.Uint32(b))
}

// Frame is one frame of a Tag.
type Frame struct {
	ID         string // three letters in version 2.2, four in later ones
	tag        *Tag
	off, size  int64 // of the content
	unsync     bool
	compressed bool
	encrypted  bool
	prefix     int // bytes before the content: its group and its length before encoding
}

// Next returns the next frame and whether there is one.
func (t *Tag) Next() (Frame, bool) {
	f, ok := t.frame()
	if !ok || t.frames >= maxFrames {
		return Frame{}, false
	}
	t.frames++
	t.pos = f.off + f.size
	return f, true
}

func (t *Tag) frame() (Frame, bool) {
	n := 10
	if t.version == 2 {
		n = 6
	}
	if t.pos < 0 || t.pos+int64(n) > t.end {
		return Frame{}, false
	}
	b, err := t.w.At(t.pos, n)
	if err != nil || b[0] == 0 {
		return Frame{}, false
	}
	f := Frame{tag: t, off: t.pos + int64(n)}
	if t.version == 2 {
		f.ID, f.size = string(b[:3]), int64(b[3])<<16|int64(b[4])<<8|int64(b[5])
		return f, isFrameID(f.ID) && f.off+f.size <= t.end
	}
	if isShortID(b) {
		return t.shortFrame(bytes.Clone(b))
	}
	f.ID = string(b[:4])
	plain, safe, flags := int64(binary.BigEndian.Uint32(b[4:])), synchsafe(b[4:8]), b[9]
	f.size = plain
	if t.version == 4 {
		f.size = safe
		f.unsync, f.compressed, f.encrypted = flags&0x02 != 0, flags&0x08 != 0, flags&0x04 != 0
		f.prefix = int(flags>>6&1) + 4*int(flags&1)
		// Old versions of iTunes wrote plain sizes; the size that leads to another frame is right.
		if plain != safe && !t.frameAt(f.off+safe) && t.frameAt(f.off+plain) {
			f.size = plain
		}
	} else {
		f.compressed, f.encrypted = flags&0x80 != 0, flags&0x40 != 0
		f.prefix = 4*int(flags>>7&1) + int(flags>>5&1)
	}
	return f, isFrameID(f.ID) && f.off+f.size <= t.end
}

// frameAt reports whether a frame, padding or the end of the tag is at off.
func (t *Tag) frameAt(off int64) bool {
	if off == t.end {
		return true
	}
	if off < 0 || off+4 > t.end {
		return false
	}
	b, err := t.w.At(off, 4)
	return err == nil && (b[0] == 0 || isFrameID(string(b)) || isShortID(b))
}

// isShortID reports whether b begins with an identifier of version 2.2 that is filled up with a
// zero or a space.
func isShortID(b []byte) bool { return isFrameID(string(b[:3])) && (b[3] == 0 || b[3] == ' ') }

// shortFrame returns the frame of version 2.2 that stands in a tag of a later version, where iTunes
// gives it a header of ten bytes, and others one of six.
func (t *Tag) shortFrame(b []byte) (Frame, bool) {
	f := Frame{ID: string(b[:3]), tag: t, off: t.pos + 10, size: int64(binary.BigEndian.Uint32(b[4:]))}
	if !t.frameAt(f.off + f.size) {
		f.off, f.size = t.pos+6, int64(b[3])<<16|int64(b[4])<<8|int64(b[5])
	}
	return f, f.off+f.size <= t.end
}

func isFrameID(id string) bool {
	for i := range len(id) {
		if c := id[i]; (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// Synchronise reverses unsynchronisation in place: it removes the zero byte after every 0xff.
func Synchronise(b []byte) []byte {
	out := b[:0]
	for i := 0; i < len(b); i++ {
		out = append(out, b[i])
		if b[i] == 0xff && i+1 < len(b) && b[i+1] == 0 {
			i++
		}
	}
	return out
}
