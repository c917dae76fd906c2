package ogg

import (
	"bytes"
	"encoding/binary"
	"io"
	"sort"

	"waxwing/internal/media/window"
)

const (
	// OpusRate is the sample rate of every Opus stream.
	OpusRate = opusRate

	maxLacing = 255 // segments in a page
)

// EmptyOpusTags is a comment header without comments.
var EmptyOpusTags = []byte("OpusTags\x00\x00\x00\x00\x00\x00\x00\x00")

// FrameCounter returns a function that is called with the packets of a stream in another container
// in order, or their first two bytes, and returns the number of frames that each completes. It is
// nil if the headers do not tell.
func FrameCounter(codec Codec, id, setup []byte) (func(packet []byte) int, error) {
	size := int64(len(setup))
	w := window.New(bytes.NewReader(setup), size)
	s := &Stream{Codec: codec, ID: id, Setup: HeaderPacket{w: w, pieces: []piece{{0, size}}, size: size}}
	return s.frameCounter()
}

// Remux presents the packets of another container as an Ogg file of one packet per page, so that
// one reader serves both. It implements io.ReaderAt for one goroutine at a time.
type Remux struct {
	src      io.ReaderAt
	prefix   []byte // of each packet, not stored with it
	head     []byte // pages of the header packets
	sequence uint32 // of the first page behind them
	pages    []remuxed
	size     int64
	built    int // number of the page in page, −1 for none
	page     []byte
}

// remuxed is one packet, and the offset of its page.
type remuxed struct {
	off, start, granule int64
	size                int
}

// NewRemux returns the file of the header packets alone.
func NewRemux(src io.ReaderAt, prefix []byte, headers ...[]byte) *Remux {
	r := &Remux{src: src, prefix: prefix, built: -1}
	for i, packet := range headers {
		flags := byte(0)
		if i == 0 {
			flags = flagFirst
		}
		for {
			content := packet[:min(len(packet), maxLacing*255)]
			whole := len(content) < maxLacing*255
			r.head = appendPage(r.head, flags, 0, r.sequence, content, whole)
			r.sequence++
			if packet = packet[len(content):]; whole {
				break
			}
			flags = flagContinued
		}
	}
	r.size = int64(len(r.head))
	return r
}

// Append adds the packet of size bytes at off; granule is the position after it. Packets that do
// not fit in a page, which no encoder writes, are left out.
func (r *Remux) Append(off int64, size int, granule int64) {
	if size += len(r.prefix); size >= maxLacing*255 {
		return
	}
	r.pages = append(r.pages, remuxed{off, r.size, granule, size})
	r.size += HeaderSize + int64(size/255+1) + int64(size)
}

// Size returns the length of the file.
func (r *Remux) Size() int64 { return r.size }

// ReadAt implements io.ReaderAt.
func (r *Remux) ReadAt(b []byte, at int64) (int, error) {
	if at < 0 || at >= r.size {
		return 0, io.EOF
	}
	n := 0
	if at < int64(len(r.head)) {
		n = copy(b, r.head[at:])
	}
	i := sort.Search(len(r.pages), func(i int) bool { return r.pages[i].start > at+int64(n) }) - 1
	for ; i < len(r.pages) && n < len(b); i++ {
		if err := r.build(i); err != nil {
			return n, err
		}
		n += copy(b[n:], r.page[at+int64(n)-r.pages[i].start:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// build makes page i the one in r.page.
func (r *Remux) build(i int) error {
	if r.built == i {
		return nil
	}
	r.built = -1
	p := r.pages[i]
	content := make([]byte, p.size)
	stored := content[copy(content, r.prefix):]
	if n, err := r.src.ReadAt(stored, p.off); n < len(stored) {
		return err
	}
	flags := byte(0)
	if i == len(r.pages)-1 {
		flags = flagLast
	}
	r.page = appendPage(r.page[:0], flags, p.granule, r.sequence+uint32(i), content, true)
	r.built = i
	return nil
}

// appendPage appends a page with one packet, or, if it is not the whole rest of one, a full page
// that another continues.
func appendPage(b []byte, flags byte, granule int64, sequence uint32, content []byte, whole bool) []byte {
	start := len(b)
	if !whole {
		granule = -1
	}
	segments := len(content) / 255
	if whole {
		segments++
	}
	b = append(append(b, capture...), flags)
	b = binary.LittleEndian.AppendUint64(b, uint64(granule))
	b = binary.LittleEndian.AppendUint32(b, 1) // serial number
	b = binary.LittleEndian.AppendUint32(b, sequence)
	b = append(b, 0, 0, 0, 0, byte(segments))
	for range len(content) / 255 {
		b = append(b, 255)
	}
	if whole {
		b = append(b, byte(len(content)%255))
	}
	b = append(b, content...)
	binary.LittleEndian.PutUint32(b[start+22:], checksum(b[start:]))
	return b
}
