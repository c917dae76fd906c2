package flac

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// errDamaged is wrapped by errors about the content of one frame; the frames after it may be
// intact. Errors of reading the file do not wrap it.
var errDamaged = errors.New("damaged frame")

func damaged(what string) error { return fmt.Errorf("%w: %s", errDamaged, what) }

const (
	padding  = 16       // zero bytes behind the last valid byte, so that 8 can always be loaded
	readSize = 32 << 10 // bytes in one read of the file
	maxFrame = 4 << 20  // bytes; twice what 8 channels of 65,535 verbatim 32-bit samples need
)

// bitReader reads the bits of a file, most significant first. All bytes from mark on stay in
// memory, so that the checksum of a frame can be computed at its end.
type bitReader struct {
	src  io.ReaderAt
	buf  []byte // valid bytes, then padding zero bytes
	base int64  // offset of buf[0] in the file
	n    int    // number of valid bytes
	pos  uint   // next bit, counted from buf[0]
	safe uint   // up to this bit position 8 bytes can be loaded without another read
	mark int    // first byte that must stay
	eof  bool   // the file ends at base+n
}

// seek moves to a byte of the file and marks it.
func (r *bitReader) seek(off int64) {
	if off >= r.base && off <= r.base+int64(r.n) {
		r.mark = int(off - r.base)
		r.pos = uint(r.mark) * 8
		return
	}
	r.base, r.n, r.mark, r.pos, r.safe, r.eof = off, 0, 0, 0, 0, false
	clear(r.buf[:min(padding, len(r.buf))])
}

// offset returns the offset in the file of the next byte to be read.
func (r *bitReader) offset() int64 { return r.base + int64((r.pos+7)/8) }

// need makes 8 bytes loadable at pos. It fails if pos is past the end of the file.
func (r *bitReader) need() error {
	for r.pos > r.safe || r.n == 0 {
		if r.eof {
			return damaged("the file ends in it")
		}
		if err := r.more(); err != nil {
			return err
		}
	}
	return nil
}

// more drops the bytes before mark and reads more.
func (r *bitReader) more() error {
	if r.mark > 0 {
		copy(r.buf, r.buf[r.mark:r.n])
		r.base += int64(r.mark)
		r.n -= r.mark
		r.pos -= uint(r.mark) * 8
		r.mark = 0
	}
	if r.n > maxFrame {
		return damaged("it has no end")
	}
	if r.n+readSize+padding > len(r.buf) {
		grown := make([]byte, max(2*len(r.buf), 2*readSize+padding))
		copy(grown, r.buf[:r.n])
		r.buf = grown
	}
	got, err := r.src.ReadAt(r.buf[r.n:r.n+readSize], r.base+int64(r.n))
	r.n += max(got, 0)
	clear(r.buf[r.n : r.n+padding])
	switch {
	case err == io.EOF, err == nil && got <= 0:
		r.eof = true
		r.safe = uint(r.n) * 8
	case err != nil:
		return fmt.Errorf("read FLAC: %w", err)
	default:
		r.safe = uint(max(r.n-8, 0)) * 8
	}
	return nil
}

// peek64 returns the next bits, of which at least 57 are valid. need must be called before.
func (r *bitReader) peek64() uint64 {
	return binary.BigEndian.Uint64(r.buf[r.pos>>3:]) << (r.pos & 7)
}

// uint reads an unsigned number of 0 to 32 bits.
func (r *bitReader) uint(n uint) (uint64, error) {
	if err := r.need(); err != nil {
		return 0, err
	}
	v := r.peek64() >> 1 >> (63 - n)
	r.pos += n
	return v, nil
}

// int reads a two's complement number of 1 to 33 bits.
func (r *bitReader) int(n uint) (int64, error) {
	if err := r.need(); err != nil {
		return 0, err
	}
	v := int64(r.peek64()) >> (64 - n)
	r.pos += n
	return v, nil
}

// unary counts the zero bits before the next one bit, and skips that.
func (r *bitReader) unary() (uint64, error) {
	var zeros uint64
	for {
		if err := r.need(); err != nil {
			return 0, err
		}
		x := r.peek64()
		if x != 0 {
			q := uint(bits.LeadingZeros64(x))
			r.pos += q + 1
			return zeros + uint64(q), nil
		}
		valid := 64 - r.pos&7
		zeros += uint64(valid)
		r.pos += valid
	}
}

// rice fills dst with Rice-coded numbers of parameter k (0 to 30).
func (r *bitReader) rice(dst []int64, k uint) error {
	for i := 0; i < len(dst); i++ {
		if err := r.need(); err != nil {
			return err
		}
		i += r.riceFast(dst[i:], k)
		if i == len(dst) {
			break
		}
		q, err := r.unary() // a long code, or the end of the buffer is near
		if err != nil {
			return err
		}
		low, err := r.uint(k)
		if err != nil {
			return err
		}
		if q > 1<<32>>k {
			return damaged("a residual is out of range")
		}
		u := q<<k | low
		dst[i] = int64(u>>1) ^ -int64(u&1)
	}
	return nil
}

// riceFast is the innermost loop: it reads numbers while each fits in one load of 8 bytes, and
// returns the count.
func (r *bitReader) riceFast(dst []int64, k uint) int {
	p, safe, buf := r.pos, r.safe, r.buf
	k &= 31
	right := 63 - k
	var x uint64  // the bits from p on, as many as left says, then zeros
	var left uint // reloading only when they run short shortens the chain of dependent instructions
	for i := range dst {
		q := uint(bits.LeadingZeros64(x))
		if q+1+k > left {
			if p > safe {
				r.pos = p
				return i
			}
			x = binary.BigEndian.Uint64(buf[p>>3:]) << (p & 7)
			left = 64 - p&7
			q = uint(bits.LeadingZeros64(x))
			if q+k > 55 {
				r.pos = p
				return i
			}
		}
		u := uint64(q)<<k | x<<((q+1)&63)>>1>>right
		dst[i] = int64(u>>1) ^ -int64(u&1)
		x <<= (q + 1 + k) & 63
		left -= q + 1 + k
		p += q + 1 + k
	}
	r.pos = p
	return len(dst)
}
