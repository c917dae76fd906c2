package alac

import "encoding/binary"

// bitReader reads a packet, most significant bit first. Past the end it returns zeros and sets
// over.
type bitReader struct {
	data []byte
	at   int // in bits
	over bool
}

// peek returns the next 32 bits, with zeros past the end.
func (r *bitReader) peek() uint32 {
	first := r.at >> 3
	if first+8 <= len(r.data) {
		return uint32(binary.BigEndian.Uint64(r.data[first:]) << (r.at & 7) >> 32)
	}
	var last [8]byte
	if first < len(r.data) {
		copy(last[:], r.data[first:])
	}
	return uint32(binary.BigEndian.Uint64(last[:]) << (r.at & 7) >> 32)
}

func (r *bitReader) skip(n int) {
	r.at += n
	if r.at > 8*len(r.data) {
		r.at = 8 * len(r.data)
		r.over = true
	}
}

// read reads up to 32 bits.
func (r *bitReader) read(n int) uint32 {
	v := uint32(uint64(r.peek()) >> (32 - n))
	r.skip(n)
	return v
}

// signed reads a two's complement number of up to 32 bits.
func (r *bitReader) signed(n int) int32 {
	return int32(r.read(n)<<(32-n)) >> (32 - n)
}
