package aac

import "encoding/binary"

// bitReader reads bits, most significant first. Past the end it returns zeros; callers check over
// before they use what they read.
type bitReader struct {
	data []byte
	pos  int // in bits
}

// peek returns the next bits at the top of a word; at least 57 of them are valid.
func (r *bitReader) peek() uint64 {
	if at := r.pos >> 3; at+8 <= len(r.data) {
		return binary.BigEndian.Uint64(r.data[at:]) << (r.pos & 7)
	}
	return r.peekAtEnd()
}

func (r *bitReader) peekAtEnd() uint64 {
	var word uint64
	for i := range 8 {
		word <<= 8
		if at := r.pos>>3 + i; at < len(r.data) {
			word |= uint64(r.data[at])
		}
	}
	return word << (r.pos & 7)
}

// read returns the next n bits, 0 to 57.
func (r *bitReader) read(n int) int {
	v := r.peek() >> 1 >> (63 - n)
	r.pos += n
	return int(v)
}

func (r *bitReader) flag() bool { return r.read(1) == 1 }

// align skips to the next whole byte.
func (r *bitReader) align() { r.pos = (r.pos + 7) &^ 7 }

func (r *bitReader) left() int { return 8*len(r.data) - r.pos }

// over reports whether more was read than the data contains.
func (r *bitReader) over() bool { return r.left() < 0 }
