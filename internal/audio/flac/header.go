package flac

import "encoding/binary"

// maxHeader is the length of the longest frame header, with its checksum.
const maxHeader = 16

// header is the header of a frame.
type header struct {
	number    int64 // of the first sample when variable, else of the frame
	variable  bool
	blockSize int
	rate      int // 0: as in STREAMINFO
	channels  int
	stereo    int // coding of two channels: 0, leftSide, sideRight or midSide
	depth     uint
	length    int // in bytes
}

const (
	leftSide = iota + 1
	sideRight
	midSide
)

// parseHeader reads a frame header and verifies its checksum. b holds at least maxHeader bytes.
func parseHeader(b []byte) (header, bool) {
	var h header
	if b[0] != 0xFF || b[1]&0xFE != 0xF8 || b[3]&1 != 0 {
		return h, false
	}
	h.variable = b[1]&1 != 0
	if a := int(b[3] >> 4); a < 8 {
		h.channels = a + 1
	} else if a <= 10 {
		h.channels, h.stereo = 2, a-7
	} else {
		return h, false
	}
	depths := [8]uint{0, 8, 12, 255, 16, 20, 24, 32} // 0: as in STREAMINFO
	if h.depth = depths[b[3]>>1&7]; h.depth == 255 {
		return h, false
	}
	at := 4
	var ok bool
	if h.number, at, ok = codedNumber(b, at); !ok {
		return h, false
	}
	switch c := b[2] >> 4; {
	case c == 0:
		return h, false
	case c == 1:
		h.blockSize = 192
	case c < 6:
		h.blockSize = 576 << (c - 2)
	case c == 6:
		h.blockSize = int(b[at]) + 1
		at++
	case c == 7:
		h.blockSize = int(binary.BigEndian.Uint16(b[at:])) + 1
		at += 2
	default:
		h.blockSize = 256 << (c - 8)
	}
	switch c := b[2] & 15; {
	case c < 12:
		h.rate = [12]int{0, 88200, 176400, 192000, 8000, 16000, 22050, 24000, 32000, 44100, 48000, 96000}[c]
	case c == 12:
		h.rate = int(b[at]) * 1000
		at++
	case c == 13:
		h.rate = int(binary.BigEndian.Uint16(b[at:]))
		at += 2
	case c == 14:
		h.rate = int(binary.BigEndian.Uint16(b[at:])) * 10
		at += 2
	default:
		return h, false
	}
	h.length = at + 1
	return h, crc8(b[:at]) == b[at]
}

// codedNumber reads a number of up to 36 bits that is coded like UTF-8, and returns its end.
func codedNumber(b []byte, at int) (n int64, end int, ok bool) {
	first := b[at]
	at++
	if first < 0x80 {
		return int64(first), at, true
	}
	extra := 0
	for first<<(extra+1)&0x80 != 0 {
		extra++
	}
	if extra == 0 || extra > 6 {
		return 0, at, false
	}
	n = int64(first & (0x7F >> (extra + 1)))
	for range extra {
		if b[at]&0xC0 != 0x80 {
			return 0, at, false
		}
		n = n<<6 | int64(b[at]&0x3F)
		at++
	}
	return n, at, true
}
