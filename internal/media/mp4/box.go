package mp4

import (
	"encoding/binary"
	"io"
	"iter"

	"waxwing/internal/media/window"
)

const (
	// maxBoxes bounds the boxes in one container: a day of audio in fragments of a second.
	maxBoxes = 1 << 18
	maxDepth = 12
	// maxTable is the largest box that is read into memory: the sizes of 8 million packets, which
	// is two days of audio.
	maxTable = 32 << 20
	// maxHeader is how much is read of boxes that describe the movie or a track.
	maxHeader = 4 << 10
)

// box is one box of a file; start and end enclose its content.
type box struct {
	w          *window.Reader
	kind       string
	at         int64 // offset of its header
	start, end int64
	cut        bool // it declares a size that does not fit, or none
}

// wholeFile is the file as if it were the content of a box.
func wholeFile(w *window.Reader) box { return box{w: w, end: w.Size()} }

// boxes iterates over the boxes inside b, the first of which starts skip bytes after b does. A box
// that claims to be longer than b ends with b.
func (b box) boxes(skip int64) iter.Seq2[box, error] {
	return func(yield func(box, error) bool) {
		at := b.start + skip
		for range maxBoxes {
			if at+8 > b.end {
				return
			}
			inner, err := b.boxAt(at)
			if !yield(inner, err) || err != nil {
				return
			}
			at = inner.end
		}
		yield(box{}, window.Damaged("more than %d MP4 boxes in %q", maxBoxes, b.kind))
	}
}

func (b box) boxAt(at int64) (box, error) {
	h, err := b.w.Peek(at, int(min(16, b.end-at)))
	if err != nil {
		return box{}, err
	}
	if len(h) < 8 {
		return box{}, window.Damaged("an MP4 box is cut off")
	}
	inner := box{w: b.w, kind: string(h[4:8]), at: at, start: at + 8}
	size := uint64(binary.BigEndian.Uint32(h))
	if size == 1 && len(h) == 16 {
		size = binary.BigEndian.Uint64(h[8:])
		inner.start = at + 16
	}
	if room := uint64(b.end - at); size == 0 || size > room {
		size, inner.cut = room, true
	}
	inner.end = at + int64(size)
	if inner.end < inner.start {
		return box{}, window.Damaged("MP4 box %q of %d bytes", inner.kind, size)
	}
	return inner, nil
}

// collect adds the boxes inside b, and inside those that describe a track, to into. The first box
// of a kind wins.
func (b box) collect(into map[string]box, depth int) error {
	if depth > maxDepth {
		return window.Damaged("MP4 boxes are nested too deeply")
	}
	for inner, err := range b.boxes(0) {
		if err != nil {
			return err
		}
		switch inner.kind {
		case "mdia", "minf", "stbl", "edts":
			if err := inner.collect(into, depth+1); err != nil {
				return err
			}
		default:
			// QuickTime has a second handler, that of the data, in "minf".
			if _, found := into[inner.kind]; !found && !(b.kind == "minf" && inner.kind == "hdlr") {
				into[inner.kind] = inner
			}
		}
	}
	return nil
}

// header returns the start of the content, valid until the next read; nothing for a box that the
// file does not have.
func (b box) header() (fields, error) {
	if b.w == nil {
		return fields{}, nil
	}
	data, err := b.w.Peek(b.start, int(min(b.end-b.start, maxHeader)))
	return fields{data: data}, err
}

// content reads the box into memory.
func (b box) content() (fields, error) {
	size := b.end - b.start
	if size > maxTable {
		return fields{}, window.Damaged("MP4 box %q of %d bytes is too large", b.kind, size)
	}
	if size <= maxHeader {
		return b.header()
	}
	data := make([]byte, size)
	n, err := b.w.ReadAt(data, b.start)
	if n == len(data) {
		return fields{data: data}, nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fields{}, err
}

// fields reads big-endian numbers one after the other. Past the end it returns zeros and sets
// short.
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

// box splits off the next box, which the fields hold entirely.
func (f *fields) box() (kind string, content fields, ok bool) {
	if len(f.data) < 8 {
		return "", fields{}, false
	}
	size := f.u32()
	kind = string(f.take(4))
	if size < 8 || size-8 > len(f.data) {
		return "", fields{}, false
	}
	return kind, fields{data: f.take(size - 8)}, true
}
