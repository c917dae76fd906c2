package mp3

import "encoding/binary"

// bitPadding is how many readable bytes must follow the last meaningful bit of a
// bitReader's data: peek loads eight at a time, and a Huffman pair that begins
// before the end of its part may run 47 bits past it.
const bitPadding = 16

// bitReader takes bits from the front of bytes, most significant first.
type bitReader struct {
	data []byte
	pos  int // in bits
}

// peek returns the next bits at the top of a word; at least 57 of them are real.
func (r *bitReader) peek() uint64 {
	return binary.BigEndian.Uint64(r.data[r.pos>>3:]) << (r.pos & 7)
}

// bits takes the next n bits, 0 to 57.
func (r *bitReader) bits(n int) int {
	v := r.peek() >> 1 >> (63 - n)
	r.pos += n
	return int(v)
}

func (r *bitReader) flag() bool { return r.bits(1) == 1 }
