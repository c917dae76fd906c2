package vorbis

import (
	"errors"
	"math"
)

const (
	maxEntries = 1 << 20 // of one codebook; real ones stay under 1 << 14
	maxValues  = 1 << 22 // numbers in all vectors of one codebook

	firstBits = 9 // codewords up to this length need one table lookup
)

var errCodebook = errors.New("bad codebook")

// codebook is a set of prefix codes. Each represents a number and, if values is set, a vector of
// dim numbers.
type codebook struct {
	dim     int
	entries int
	values  []float32

	first [1 << firstBits]shortcut
	nodes [][2]int32 // a tree: a child ≥ 0 is a node, a child < 0 is ^entry
}

// shortcut is the target of the first bits of a codeword: an entry after length bits, or a node of
// the tree after all of them.
type shortcut struct {
	target int32 // as in codebook.nodes
	length uint8
}

func readCodebook(r *bitReader) (*codebook, error) {
	if r.read(24) != 0x564342 {
		return nil, errCodebook
	}
	b := &codebook{dim: int(r.read(16)), entries: int(r.read(24))}
	if b.dim == 0 || b.entries == 0 || b.entries > maxEntries {
		return nil, errCodebook
	}
	lengths, err := readLengths(r, b.entries)
	if err != nil {
		return nil, err
	}
	if err := b.build(lengths); err != nil {
		return nil, err
	}
	return b, b.readValues(r)
}

// readLengths reads the codeword length of every entry; 0 means unused.
func readLengths(r *bitReader, entries int) ([]uint8, error) {
	if r.flag() { // ordered: the number of entries of each length
		lengths := make([]uint8, entries)
		length := uint8(r.read(5)) + 1
		for at := 0; at < entries; length++ {
			n := int(r.read(bitLength(entries - at)))
			if length > 32 || n > entries-at || r.over {
				return nil, errCodebook
			}
			for i := range n {
				lengths[at+i] = length
			}
			at += n
		}
		return lengths, nil
	}
	sparse := r.flag()
	if r.left() < entries {
		return nil, errCodebook
	}
	lengths := make([]uint8, entries)
	for i := range lengths {
		if !sparse || r.flag() {
			lengths[i] = uint8(r.read(5)) + 1
		}
	}
	if r.over {
		return nil, errCodebook
	}
	return lengths, nil
}

// build assigns to each entry, in order, the lowest free codeword of its length. The codewords must
// fill the tree exactly, so that every sequence of bits ends at an entry; a book with one entry of
// length 1 is allowed as well.
func (b *codebook) build(lengths []uint8) error {
	used, only := 0, 0
	for i, n := range lengths {
		if n > 0 {
			used++
			only = i
		}
	}
	if used == 1 && lengths[only] == 1 {
		b.nodes = [][2]int32{{^int32(only), ^int32(only)}}
		b.shorten()
		return nil
	}
	if used == 0 { // never used by a valid stream
		b.nodes = [][2]int32{{-1, -1}}
		b.shorten()
		return nil
	}

	// At each depth of the tree at most one node is free; free has its codeword, most significant
	// bit first. At first only the root is.
	var free [33]uint32
	open := [33]bool{0: true}
	b.nodes = make([][2]int32, 1, used)
	for entry, n := range lengths {
		if n == 0 {
			continue
		}
		depth := int(n)
		for depth >= 0 && !open[depth] {
			depth--
		}
		if depth < 0 {
			return errCodebook // more codewords than the tree can hold
		}
		code := free[depth]
		open[depth] = false
		// Going down leaves the right sibling at each depth free.
		for d := depth + 1; d <= int(n); d++ {
			open[d] = true
			free[d] = code | 1<<(32-d)
		}
		b.insert(code, n, entry)
	}
	for _, o := range open {
		if o {
			return errCodebook // some bits would have no meaning
		}
	}
	b.shorten()
	return nil
}

func (b *codebook) insert(code uint32, length uint8, entry int) {
	node := int32(0)
	for d := uint8(1); d < length; d++ {
		bit := code >> (32 - d) & 1
		if b.nodes[node][bit] == 0 {
			b.nodes = append(b.nodes, [2]int32{})
			b.nodes[node][bit] = int32(len(b.nodes) - 1)
		}
		node = b.nodes[node][bit]
	}
	b.nodes[node][code>>(32-length)&1] = ^int32(entry)
}

// shorten computes the target of each combination of the first bits.
func (b *codebook) shorten() {
	for bits := range b.first {
		at, length := int32(0), 0
		for at >= 0 && length < firstBits {
			at = b.nodes[at][bits>>length&1]
			length++
		}
		b.first[bits] = shortcut{at, uint8(length)}
	}
}

// scalar reads one codeword and returns its entry, or −1 when the packet ends.
func (b *codebook) scalar(r *bitReader) int {
	if r.held < 32 {
		r.fill()
	}
	s := b.first[r.acc&(1<<firstBits-1)]
	at, length := s.target, uint(s.length)
	for at >= 0 && length < r.held {
		at = b.nodes[at][r.acc>>length&1]
		length++
	}
	if at >= 0 || length > r.held {
		r.acc, r.held, r.over = 0, 0, true
		return -1
	}
	r.acc >>= length
	r.held -= length
	return int(^at)
}

// vector reads one codeword and returns its vector, or nil when the packet ends.
func (b *codebook) vector(r *bitReader) []float32 {
	entry := b.scalar(r)
	if entry < 0 {
		return nil
	}
	return b.values[entry*b.dim : (entry+1)*b.dim]
}

func (b *codebook) readValues(r *bitReader) error {
	kind := r.read(4)
	if kind == 0 {
		return nil
	}
	if kind > 2 || b.dim > maxValues/b.entries {
		return errCodebook
	}
	lowest := unpackFloat(r.read(32))
	step := unpackFloat(r.read(32))
	bits := uint(r.read(4)) + 1
	cumulative := r.flag()

	count := b.entries * b.dim
	if kind == 1 {
		count = rootFloor(b.entries, b.dim)
	}
	if r.left() < count*int(bits) {
		return errCodebook
	}
	factors := make([]float32, count)
	for i := range factors {
		factors[i] = float32(r.read(bits))
	}
	b.values = make([]float32, b.entries*b.dim)
	for entry := range b.entries {
		last := float32(0)
		rest := entry
		for i := range b.dim {
			at := entry*b.dim + i
			factor := at
			if kind == 1 {
				factor = rest % count
				rest /= count
			}
			b.values[at] = factors[factor]*step + lowest + last
			if cumulative {
				last = b.values[at]
			}
		}
	}
	return nil
}

// rootFloor is the greatest integer whose power dim is at most n.
func rootFloor(n, dim int) int {
	fits := func(base int) bool {
		power := 1
		for range dim {
			if power *= base; power > n {
				return false
			}
		}
		return true
	}
	root := 1
	for dim < 32 && fits(root+1) {
		root++
		if dim == 1 {
			return n
		}
	}
	return root
}

func unpackFloat(x uint32) float32 {
	mantissa := float64(x & 0x1fffff)
	if x>>31 == 1 {
		mantissa = -mantissa
	}
	return float32(math.Ldexp(mantissa, int(x>>21&0x3ff)-788))
}
