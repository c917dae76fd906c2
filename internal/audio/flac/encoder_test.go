package flac

import (
	"encoding/binary"
	"math/rand/v2"
)

// encoder writes FLAC with random choices of everything that the format allows, including features
// that real encoders do not use.
type encoder struct {
	rng             *rand.Rand
	rate            int
	channels, depth int
	variable        bool
	blockSize       int // of fixed blocks; the largest of variable ones
	first           int64
	hideLength      bool // STREAMINFO does not declare it

	// Faults and variants of other writers.
	old      bool  // variable blocks are not flagged, as before the format had a flag
	declared int   // block size in STREAMINFO, if not 0
	total    int64 // length in STREAMINFO, if not 0
	explicit bool  // frame headers have the rate and the depth

	bits  []byte
	free  uint // unused bits of the last byte
	marks []int
}

func (e *encoder) put(v uint64, n uint) {
	for n > 0 {
		if e.free == 0 {
			e.bits = append(e.bits, 0)
			e.free = 8
		}
		k := min(n, e.free)
		e.bits[len(e.bits)-1] |= byte(v >> (n - k) & (1<<k - 1) << (e.free - k))
		n -= k
		e.free -= k
	}
}

// encode returns a whole file of the samples, channel by channel.
func (e *encoder) encode(samples [][]int64) []byte {
	total := len(samples[0])
	smallest := e.blockSize
	if e.variable {
		smallest = 16
	}
	e.bits, e.free, e.marks = []byte("fLaC\x80\x00\x00\x22"), 0, nil
	largest := e.blockSize
	if e.declared > 0 {
		smallest, largest = e.declared, e.declared
	}
	e.put(uint64(smallest), 16)
	e.put(uint64(largest), 16)
	e.put(0, 48)
	e.put(uint64(e.rate), 20)
	e.put(uint64(e.channels-1), 3)
	e.put(uint64(e.depth-1), 5)
	switch {
	case e.hideLength:
		e.put(0, 36)
	case e.total > 0:
		e.put(uint64(e.total), 36)
	default:
		e.put(uint64(total), 36)
	}
	e.put(0, 64)
	e.put(0, 64)
	for at, number := 0, e.first; at < total; number++ {
		n := e.blockSize
		if e.variable {
			n = 16 + e.rng.IntN(e.blockSize-15)
		}
		n = min(n, total-at)
		block := make([][]int64, e.channels)
		for c := range block {
			block[c] = samples[c][at : at+n]
		}
		if e.variable {
			number = e.first + int64(at)
		}
		e.frame(number, block)
		at += n
	}
	return e.bits
}

func (e *encoder) frame(number int64, block [][]int64) {
	start := len(e.bits)
	e.marks = append(e.marks, start)
	stereo := 0
	if e.channels == 2 {
		stereo = e.rng.IntN(4)
	}
	e.put(0x3FFE<<1, 15)
	if e.variable && !e.old {
		e.put(1, 1)
	} else {
		e.put(0, 1)
	}
	e.put(7, 4) // the block size follows in 16 bits
	if e.explicit {
		e.put(13, 4) // the rate follows in 16 bits
	} else {
		e.put(0, 4)
	}
	if stereo == 0 {
		e.put(uint64(e.channels-1), 4)
	} else {
		e.put(uint64(7+stereo), 4)
	}
	depth := uint64(0)
	if e.explicit {
		depth = map[int]uint64{8: 1, 16: 4, 24: 6}[e.depth]
	}
	e.put(depth<<1, 4)
	e.number(uint64(number))
	e.put(uint64(len(block[0])-1), 16)
	if e.explicit {
		e.put(uint64(e.rate), 16)
	}
	e.put(uint64(crc8(e.bits[start:])), 8)
	for c, s := range mixed(stereo, block) {
		depth := uint(e.depth)
		if stereo != 0 && (c == 0) == (stereo == sideRight) {
			depth++
		}
		e.subframe(s, depth)
	}
	e.free = 0
	e.bits = binary.BigEndian.AppendUint16(e.bits, crc16(e.bits[start:]))
}

func (e *encoder) number(v uint64) {
	if v < 0x80 {
		e.put(v, 8)
		return
	}
	extra := uint(1)
	for v >= 1<<(6*extra+6-extra) {
		extra++
	}
	e.put((1<<(extra+1)-1)<<1, extra+2)
	e.put(v>>(6*extra), 6-extra)
	for i := int(extra) - 1; i >= 0; i-- {
		e.put(0x80|v>>(6*uint(i))&0x3F, 8)
	}
}

func mixed(stereo int, block [][]int64) [][]int64 {
	if stereo == 0 {
		return block
	}
	a, b := make([]int64, len(block[0])), make([]int64, len(block[0]))
	for i := range a {
		left, right := block[0][i], block[1][i]
		switch stereo {
		case leftSide:
			a[i], b[i] = left, left-right
		case sideRight:
			a[i], b[i] = left-right, right
		case midSide:
			a[i], b[i] = (left+right)>>1, left-right
		}
	}
	return [][]int64{a, b}
}

func (e *encoder) subframe(s []int64, depth uint) {
	constant, low := true, int64(0)
	for _, v := range s {
		constant = constant && v == s[0]
		low |= v
	}
	wasted := uint(0)
	for low != 0 && low>>wasted&1 == 0 {
		wasted++
	}
	if wasted > 0 {
		shifted := make([]int64, len(s))
		for i := range s {
			shifted[i] = s[i] >> wasted
		}
		s = shifted
		depth -= wasted
	}
	head := func(kind int) {
		e.put(uint64(kind), 7)
		if wasted > 0 {
			e.put(1, 1)
			e.put(1, wasted)
		} else {
			e.put(0, 1)
		}
	}
	if constant {
		head(0)
		e.put(uint64(s[0]), depth)
		return
	}
	order := e.rng.IntN(5)
	coef := [][]int64{{}, {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}}[order]
	shift := uint(0)
	linear := e.rng.IntN(2) == 0
	if linear {
		order = 1 + e.rng.IntN(32)
		coef, shift = make([]int64, order), 9
		for i := range coef {
			coef[i] = e.rng.Int64N(64) - 32
		}
		coef[0] += 1 << 9
	}
	rest, fits := residual(s, coef, shift)
	switch {
	case !fits || e.rng.IntN(4) == 0:
		head(1)
		for _, v := range s {
			e.put(uint64(v), depth)
		}
		return
	case linear:
		head(31 + order)
	default:
		head(8 + order)
	}
	for _, v := range s[:order] {
		e.put(uint64(v), depth)
	}
	if linear {
		e.put(11, 4) // 12 bits each
		e.put(uint64(shift), 5)
		for _, c := range coef {
			e.put(uint64(c), 12)
		}
	}
	e.partitioned(rest, order)
}

// residual returns the residual of a predictor; the format requires that it fits in 32 bits.
func residual(s, coef []int64, shift uint) (rest []int64, fits bool) {
	if len(s) < len(coef) {
		return nil, false
	}
	rest = make([]int64, len(s))
	for i := len(coef); i < len(s); i++ {
		var sum int64
		for j, c := range coef {
			sum += c * s[i-1-j]
		}
		rest[i] = s[i] - sum>>shift
		if rest[i] != int64(int32(rest[i])) {
			return nil, false
		}
	}
	return rest, true
}

func (e *encoder) partitioned(rest []int64, order int) {
	partitions := e.rng.IntN(5)
	for len(rest)%(1<<partitions) != 0 || len(rest)>>partitions < order {
		partitions--
	}
	wide := uint(e.rng.IntN(2))
	if e.depth > 16 {
		wide = 1 // narrow parameters would produce very long codes
	}
	e.put(uint64(wide), 2)
	e.put(uint64(partitions), 4)
	size := len(rest) >> partitions
	for p := range 1 << partitions {
		e.partition(rest[max(p*size, order):(p+1)*size], 4+wide)
	}
}

func (e *encoder) partition(rest []int64, width uint) {
	var greatest, sum uint64
	for _, v := range rest {
		u := uint64(v<<1) ^ uint64(v>>63)
		greatest = max(greatest, u)
		sum += u
	}
	need := uint(1)
	for greatest>>need != 0 {
		need++
	}
	k := uint(0)
	for len(rest) > 0 && sum/uint64(len(rest))>>k > 1 {
		k++
	}
	if e.rng.IntN(8) == 0 && need < 32 {
		e.put(1<<width-1, width)
		if greatest == 0 {
			need = 0
		}
		e.put(uint64(need), 5)
		for _, v := range rest {
			e.put(uint64(v), need)
		}
		return
	}
	k = min(k, 1<<width-2)
	e.put(uint64(k), width)
	for _, v := range rest {
		u := uint64(v<<1) ^ uint64(v>>63)
		for q := uint(u >> k); q > 0; q -= min(q, 32) {
			e.put(0, min(q, 32))
		}
		e.put(1, 1)
		e.put(u, k)
	}
}
