package flac

import "encoding/binary"

// bitWriter collects bits, most significant first.
type bitWriter struct {
	buf []byte
	acc uint64 // its lowest n bits are not in buf yet
	n   uint   // less than 32
}

func (w *bitWriter) reset() { w.buf, w.acc, w.n = w.buf[:0], 0, 0 }

// put appends the lowest n bits of v; n is at most 32.
func (w *bitWriter) put(v uint64, n uint) {
	w.acc = w.acc<<n | v&(1<<n-1)
	if w.n += n; w.n >= 32 {
		w.n -= 32
		w.buf = binary.BigEndian.AppendUint32(w.buf, uint32(w.acc>>w.n))
	}
}

// align fills the last byte with zero bits and moves everything to buf.
func (w *bitWriter) align() {
	if rest := w.n % 8; rest != 0 {
		w.put(0, 8-rest)
	}
	for w.n > 0 {
		w.n -= 8
		w.buf = append(w.buf, byte(w.acc>>w.n))
	}
}

// putNumber appends the number of a frame, coded as UTF-8 codes characters.
func (w *bitWriter) putNumber(v uint64) {
	if v < 0x80 {
		w.put(v, 8)
		return
	}
	extra := uint(1) // bytes after the first, which has 6-extra bits of the number
	for v >= 1<<(5*extra+6) {
		extra++
	}
	w.put(0xFF<<(7-extra)&0xFF|v>>(6*extra), 8)
	for i := int(extra) - 1; i >= 0; i-- {
		w.put(0x80|v>>(6*uint(i))&0x3F, 8)
	}
}

// putRice appends a number in a Rice code: its upper bits in unary, its k lowest bits as they are.
func (w *bitWriter) putRice(u uint32, k uint) {
	q := uint(u >> k)
	if q+1+k <= 32 {
		w.put(1<<k|uint64(u)&(1<<k-1), q+1+k)
		return
	}
	for ; q > 0; q -= min(q, 32) {
		w.put(0, min(q, 32))
	}
	w.put(1, 1)
	w.put(uint64(u), k)
}
