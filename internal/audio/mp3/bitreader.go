package mp3

import "encoding/binary"

// bitPadding is the number of readable bytes that must follow the last valid bit of a bitReader's
// data: peek loads eight at a time, and a Huffman pair may run 47 bits past the end of its part.
const bitPadding = 16

// bitReader reads bits, most significant first.
type bitReader struct {
	data []byte
	pos  int // in bits
}

// peek returns the next bits at the top of a word; at least 57 of them are valid.
func (r *bitReader) peek() uint64 {
	return binary.BigEndian.Uint64(r.data[r.pos>>3:]) << (r.pos & 7)
}

// bits returns the next n bits, 0 to 57.
func (r *bitReader) bits(n int) int {
	v := r.peek() >> 1 >> (63 - n)
	r.pos += n
	return int(v)
}

func (r *bitReader) flag() bool { return r.bits(1) == 1 }
