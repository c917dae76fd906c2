package vorbis

import "encoding/binary"

// bitReader reads a packet, least significant bit first. Past the end it returns zeros and sets
// over: the format allows packets to end anywhere.
type bitReader struct {
	data []byte
	at   int // next byte to take into acc
	acc  uint64
	held uint // valid bits in acc; above them are zeros or the bits that follow
	over bool
}

func newBitReader(data []byte) *bitReader { return &bitReader{data: data} }

// fill loads at least 32 bits into acc, or all that are left.
func (r *bitReader) fill() {
	if r.at+8 <= len(r.data) {
		r.acc |= binary.LittleEndian.Uint64(r.data[r.at:]) << r.held
		taken := (63 - r.held) / 8
		r.at += int(taken)
		r.held += 8 * taken
		return
	}
	for r.held <= 56 && r.at < len(r.data) {
		r.acc |= uint64(r.data[r.at]) << r.held
		r.at++
		r.held += 8
	}
}

// read reads up to 32 bits.
func (r *bitReader) read(n uint) uint32 {
	if r.held < n {
		r.fill()
		if r.held < n {
			r.acc, r.held, r.over = 0, 0, true
			return 0
		}
	}
	v := uint32(r.acc & (1<<n - 1))
	r.acc >>= n
	r.held -= n
	return v
}

func (r *bitReader) flag() bool { return r.read(1) == 1 }

// left returns the number of bits not yet read.
func (r *bitReader) left() int { return int(r.held) + 8*(len(r.data)-r.at) }
