package decode

import (
	"encoding/binary"
	"fmt"
	"io"

	"waxwing/internal/audio"
)

const (
	// maxMP4Boxes bounds the walk over one level of boxes: a day of sound in fragments of a second.
	maxMP4Boxes = 1 << 18
	// maxMP4Table is the largest box that is read into memory whole: the sizes of 8 million packets, two days of sound.
	maxMP4Table = 32 << 20
)

// mp4Box is one box of an MP4 file; start and end enclose what follows its header.
type mp4Box struct {
	in         audio.Input
	kind       string
	at         int64 // where its header starts
	start, end int64
}

// mp4File is the whole file, as if it were a box.
func mp4File(in audio.Input) mp4Box {
	return mp4Box{in: in, end: in.Size()}
}

// each calls visit for the boxes inside b, the first of which starts skip bytes after b does,
// until visit returns false. A box that claims more than there is ends with
// the one around it.
func (b mp4Box) each(skip int64, visit func(mp4Box) bool) error {
	at := b.start + skip
	for range maxMP4Boxes {
		if at+8 > b.end {
			return nil
		}
		var head [16]byte
		n, err := readUpTo(b.in, head[:min(16, b.end-at)], at)
		if err != nil {
			return err
		}
		if n < 8 {
			return nil
		}
		box := mp4Box{in: b.in, kind: string(head[4:8]), at: at, start: at + 8}
		size := uint64(binary.BigEndian.Uint32(head[:]))
		if size == 1 && n == 16 {
			size = binary.BigEndian.Uint64(head[8:])
			box.start = at + 16
		}
		room := uint64(b.end - at)
		if size == 0 || size > room {
			size = room
		}
		box.end = at + int64(size)
		if box.end < box.start {
			return fmt.Errorf("box %q of %d bytes at %d", box.kind, size, at)
		}
		if !visit(box) {
			return nil
		}
		at = box.end
	}
	return fmt.Errorf("more than %d boxes in %q", maxMP4Boxes, b.kind)
}

// find returns the first box at the end of a path of kinds, or false.
func (b mp4Box) find(path ...string) (mp4Box, bool, error) {
	for _, kind := range path {
		found := false
		err := b.each(0, func(inner mp4Box) bool {
			if inner.kind == kind {
				b, found = inner, true
			}
			return !found
		})
		if err != nil || !found {
			return mp4Box{}, false, err
		}
	}
	return b, true, nil
}

// content reads the box into memory.
func (b mp4Box) content() ([]byte, error) {
	if b.end-b.start > maxMP4Table {
		return nil, fmt.Errorf("box %q of %d bytes is too large", b.kind, b.end-b.start)
	}
	data := make([]byte, b.end-b.start)
	n, err := readUpTo(b.in, data, b.start)
	if err == nil && n < len(data) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("read box %q: %w", b.kind, err)
	}
	return data, nil
}

// contentOf reads the first box at the end of a path; nil when there is none.
func (b mp4Box) contentOf(path ...string) ([]byte, error) {
	box, found, err := b.find(path...)
	if err != nil || !found {
		return nil, err
	}
	return box.content()
}

// fields reads big-endian numbers one after the other. Past the end it yields zeros and sets short.
type fields struct {
	data  []byte
	short bool
}

func (f *fields) take(n int) []byte {
	if n < 0 || n > len(f.data) {
		f.data, f.short = nil, true
		return nil
	}
	taken := f.data[:n]
	f.data = f.data[n:]
	return taken
}

func (f *fields) number(bytes int) uint64 {
	v := uint64(0)
	for _, b := range f.take(bytes) {
		v = v<<8 | uint64(b)
	}
	return v
}

func (f *fields) u8() int    { return int(f.number(1)) }
func (f *fields) u16() int   { return int(f.number(2)) }
func (f *fields) u32() int   { return int(f.number(4)) }
func (f *fields) i64() int64 { return int64(f.number(8)) }
