package decode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"waxwing/internal/audio"
)

const (
	oggHeaderSize  = 27
	oggMaxPageSize = oggHeaderSize + 255 + 255*255

	// oggMaxWaste bounds how many bytes a reader checksums in vain, so that a file made of
	// false page starts costs no more than a second. Thousands of damaged pages fit in.
	oggMaxWaste = 256 << 20
)

const (
	oggContinued = 1 << iota // the page begins in the middle of a packet
	oggFirst                 // beginning of a logical stream
	oggLast                  // end of a logical stream
)

// errNoOggPage says that there is no intact page where one was expected.
var errNoOggPage = errors.New("no intact Ogg page")

// oggPage is one page whose checksum is right. Its slices are valid until the
// reader that gave it reads again.
type oggPage struct {
	offset   int64
	size     int64
	flags    byte
	granule  int64 // position after the last packet that ends here, −1 when none does
	serial   uint32
	sequence uint32
	lacing   []byte
	body     []byte
}

func (p oggPage) end() int64 { return p.offset + p.size }

// oggReader reads pages at any place of a file. It holds one page at a time.
type oggReader struct {
	in    audio.Input
	buf   [oggMaxPageSize]byte
	waste int // bytes checksummed in vain
}

// pageAt reads the page that starts at offset. It returns io.EOF at the end
// of the file and errNoOggPage when the bytes there are not a whole, intact page.
func (r *oggReader) pageAt(offset int64) (oggPage, error) {
	if offset >= r.in.Size() {
		return oggPage{}, io.EOF
	}
	have, err := readUpTo(r.in, r.buf[:oggHeaderSize+255], offset)
	if err != nil {
		return oggPage{}, err
	}
	head := r.buf[:have]
	if have < oggHeaderSize || !bytes.HasPrefix(head, []byte("OggS\x00")) {
		return oggPage{}, errNoOggPage
	}
	bodyStart := oggHeaderSize + int(head[26])
	if have < bodyStart {
		return oggPage{}, errNoOggPage
	}
	size := bodyStart
	for _, n := range head[oggHeaderSize:bodyStart] {
		size += int(n)
	}
	if size > have {
		n, err := readUpTo(r.in, r.buf[have:size], offset+int64(have))
		if err != nil {
			return oggPage{}, err
		}
		if have+n < size {
			return oggPage{}, errNoOggPage
		}
	}
	page := r.buf[:size]
	if oggChecksum(page) != binary.LittleEndian.Uint32(page[22:]) {
		r.waste += size
		return oggPage{}, errNoOggPage
	}
	return oggPage{
		offset:   offset,
		size:     int64(size),
		flags:    page[5],
		granule:  int64(binary.LittleEndian.Uint64(page[6:])),
		serial:   binary.LittleEndian.Uint32(page[14:]),
		sequence: binary.LittleEndian.Uint32(page[18:]),
		lacing:   page[oggHeaderSize:bodyStart],
		body:     page[bodyStart:],
	}, nil
}

// pageFrom reads the first intact page that starts within [offset, limit).
// It returns io.EOF when there is none.
func (r *oggReader) pageFrom(offset, limit int64) (oggPage, error) {
	window := make([]byte, 0, 4096)
	for offset < limit {
		page, err := r.pageAt(offset)
		if err == nil || !errors.Is(err, errNoOggPage) {
			return page, err
		}
		if r.waste > oggMaxWaste {
			return oggPage{}, errNoOggPage
		}
		offset++
		for {
			if offset >= limit {
				return oggPage{}, io.EOF
			}
			n, err := readUpTo(r.in, window[:min(int64(cap(window)), limit+3-offset)], offset)
			if err != nil {
				return oggPage{}, err
			}
			if n < 4 {
				return oggPage{}, io.EOF
			}
			if at := bytes.Index(window[:n], []byte("OggS")); at >= 0 {
				offset += int64(at)
				break
			}
			offset += int64(n - 3)
		}
	}
	return oggPage{}, io.EOF
}

// readUpTo fills dst from offset, or as much of it as the file has.
func readUpTo(in audio.Input, dst []byte, offset int64) (int, error) {
	dst = dst[:max(0, min(int64(len(dst)), in.Size()-offset))]
	n, err := in.ReadAt(dst, offset)
	if n == len(dst) || errors.Is(err, io.EOF) {
		return n, nil
	}
	return n, fmt.Errorf("read at %d: %w", offset, err)
}

// oggChecksum is the CRC of a page with its own checksum field taken as zero.
func oggChecksum(page []byte) uint32 {
	var crc uint32
	for i, b := range page {
		if i >= 22 && i < 26 {
			b = 0
		}
		crc = crc<<8 ^ oggCRC[byte(crc>>24)^b]
	}
	return crc
}

// oggCRC is the table of the unreflected CRC-32 with polynomial 0x04c11db7.
var oggCRC = func() (table [256]uint32) {
	for i := range table {
		crc := uint32(i) << 24
		for range 8 {
			if crc&(1<<31) != 0 {
				crc = crc<<1 ^ 0x04c11db7
			} else {
				crc <<= 1
			}
		}
		table[i] = crc
	}
	return table
}()
