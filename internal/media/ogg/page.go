// Package ogg reads Ogg files (RFC 3533): pages, packets, the headers of audio streams and their
// exact length.
package ogg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"waxwing/internal/media/window"
)

const (
	// HeaderSize is the length of a page header without the lengths of its segments.
	HeaderSize = 27
	// MaxPageSize is the length of the longest page.
	MaxPageSize = HeaderSize + 255 + 255*255

	// maxWaste bounds the bytes of invalid pages whose checksum is computed, so that a file of
	// false page starts costs no more than a second. Thousands of damaged pages fit in.
	maxWaste = 256 << 20
	// searchSize is how much is searched at a time for the start of a page.
	searchSize = 4 << 10
)

// Flags of a page.
const (
	flagContinued = 1 << iota // the page begins in the middle of a packet
	flagFirst                 // beginning of a logical stream
	flagLast                  // end of a logical stream
)

var capture = []byte("OggS\x00") // with the version

// errNoPage is returned where there is no intact page.
var errNoPage = errors.New("no intact Ogg page")

// page is one page. Its slices are valid until the next read.
type page struct {
	offset   int64
	body     int64 // offset of its content
	size     int64
	flags    byte
	granule  int64 // position after the last packet that ends here, −1 when none does
	serial   uint32
	sequence uint32
	lacing   []byte
	content  []byte // nil when only the header was read
}

func (p page) end() int64 { return p.offset + p.size }

// Reader reads the pages of a file. It is used by one goroutine at a time.
type Reader struct {
	w     *window.Reader
	waste int // bytes of invalid pages
}

// NewReader returns a Reader of the file.
func NewReader(w *window.Reader) *Reader { return &Reader{w: w} }

// headerAt reads the header of the page at offset, whose content may be damaged or cut off. It
// returns io.EOF at the end of the file and errNoPage when there is no header.
func (r *Reader) headerAt(offset int64) (page, error) {
	b, err := r.w.Peek(offset, HeaderSize+255)
	if err != nil {
		return page{}, err
	}
	if len(b) == 0 {
		return page{}, io.EOF
	}
	return parseHeader(b, offset)
}

// pageAt reads the page at offset and verifies its checksum. It returns io.EOF at the end of the
// file and errNoPage when there is no whole, intact page.
func (r *Reader) pageAt(offset int64) (page, error) {
	p, err := r.headerAt(offset)
	if err != nil {
		return page{}, err
	}
	b, err := r.w.Peek(offset, int(p.size))
	if err != nil {
		return page{}, err
	}
	return r.parse(b, offset)
}

// parse parses the page at the start of b, which is at offset in the file, and verifies its
// checksum.
func (r *Reader) parse(b []byte, offset int64) (page, error) {
	p, err := parseHeader(b, offset)
	if err != nil || int64(len(b)) < p.size {
		return page{}, errNoPage
	}
	b = b[:p.size]
	if checksum(b) != binary.LittleEndian.Uint32(b[22:]) {
		r.waste += len(b)
		return page{}, errNoPage
	}
	p.content = b[p.body-offset:]
	return p, nil
}

func parseHeader(b []byte, offset int64) (page, error) {
	if len(b) < HeaderSize || !bytes.HasPrefix(b, capture) || len(b) < HeaderSize+int(b[26]) {
		return page{}, errNoPage
	}
	p := page{
		offset:   offset,
		body:     offset + HeaderSize + int64(b[26]),
		flags:    b[5],
		granule:  int64(binary.LittleEndian.Uint64(b[6:])),
		serial:   binary.LittleEndian.Uint32(b[14:]),
		sequence: binary.LittleEndian.Uint32(b[18:]),
		lacing:   b[HeaderSize : HeaderSize+int(b[26])],
	}
	p.size = p.body - offset
	for _, n := range p.lacing {
		p.size += int64(n)
	}
	return p, nil
}

// next reads the first page from offset on that read accepts and that starts before limit. It
// returns io.EOF when there is none.
func (r *Reader) next(offset, limit int64, read func(int64) (page, error)) (page, error) {
	for offset < limit {
		p, err := read(offset)
		if !errors.Is(err, errNoPage) {
			return p, err
		}
		if r.waste > maxWaste {
			return page{}, io.EOF
		}
		offset++
		for {
			b, err := r.w.Peek(offset, int(min(searchSize, limit+4-offset)))
			if err != nil {
				return page{}, err
			}
			if len(b) < len(capture) {
				return page{}, io.EOF
			}
			if at := bytes.Index(b, capture); at >= 0 {
				offset += int64(at)
				break
			}
			offset += int64(len(b) - len(capture) + 1)
		}
	}
	return page{}, io.EOF
}

// each calls visit for the intact pages that start within [from, limit) until it returns false.
func (r *Reader) each(from, limit int64, visit func(page) bool) error {
	for {
		p, err := r.next(from, limit, r.pageAt)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil || !visit(p) {
			return err
		}
		from = p.end()
	}
}

// checksum is the CRC of a page with its own checksum field taken as zero.
func checksum(page []byte) uint32 {
	crc := update(0, page[:22])
	crc = update(crc, make([]byte, 4))
	return update(crc, page[26:])
}

// update processes eight bytes at a time, which is several times as fast as one.
func update(crc uint32, b []byte) uint32 {
	t := &crcTables
	for ; len(b) >= 8; b = b[8:] {
		crc ^= binary.BigEndian.Uint32(b)
		crc = t[7][crc>>24] ^ t[6][crc>>16&255] ^ t[5][crc>>8&255] ^ t[4][crc&255] ^
			t[3][b[4]] ^ t[2][b[5]] ^ t[1][b[6]] ^ t[0][b[7]]
	}
	for _, v := range b {
		crc = crc<<8 ^ t[0][byte(crc>>24)^v]
	}
	return crc
}

// crcTables are the tables of the unreflected CRC-32 with polynomial 0x04c11db7: table n is for a
// byte that n others follow.
var crcTables = func() (tables [8][256]uint32) {
	for i := range 256 {
		crc := uint32(i) << 24
		for range 8 {
			crc = crc<<1 ^ crc>>31*0x04c11db7
		}
		tables[0][i] = crc
	}
	for n := 1; n < len(tables); n++ {
		for i, crc := range tables[n-1] {
			tables[n][i] = crc<<8 ^ tables[0][crc>>24]
		}
	}
	return tables
}()
