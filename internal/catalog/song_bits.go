package catalog

import "math/bits"

// songBits is a set of song numbers, 32 to a word, so that the cache of orders can hold it.
type songBits []uint32

// songRange returns the set of the numbers from first to before end.
func songRange(first, end int64) songBits {
	if end <= first {
		return nil
	}
	set := make(songBits, (end-1)/32+1)
	for i := range set {
		set[i] = ^uint32(0)
	}
	for num := int64(0); num < first; num++ {
		if num%32 == 0 && num+32 <= first {
			set[num/32] = 0
			num += 31
			continue
		}
		set.remove(num)
	}
	for num := end; num < int64(len(set))*32; num++ {
		set.remove(num)
	}
	return set
}

// bitsOf returns the set of some numbers.
func bitsOf(nums []uint32) songBits {
	var top uint32
	for _, num := range nums {
		top = max(top, num)
	}
	set := make(songBits, top/32+1)
	for _, num := range nums {
		set[num/32] |= 1 << (num % 32)
	}
	return set
}

func (b songBits) remove(num int64) { b[num/32] &^= 1 << (num % 32) }

// and returns the numbers in both sets.
func (b songBits) and(other songBits) songBits {
	both := make(songBits, min(len(b), len(other)))
	for i := range both {
		both[i] = b[i] & other[i]
	}
	return both
}

// or returns the numbers in either set.
func (b songBits) or(other songBits) songBits {
	if len(b) < len(other) {
		b, other = other, b
	}
	either := append(songBits(nil), b...)
	for i, word := range other {
		either[i] |= word
	}
	return either
}

// without returns the numbers that are not in the other set.
func (b songBits) without(other songBits) songBits {
	rest := append(songBits(nil), b...)
	for i := range min(len(rest), len(other)) {
		rest[i] &^= other[i]
	}
	return rest
}

// count returns how many numbers the set has.
func (b songBits) count() (n int) {
	for _, word := range b {
		n += bits.OnesCount32(word)
	}
	return n
}

// nums returns the numbers, ascending.
func (b songBits) nums() []uint32 {
	nums := make([]uint32, 0, b.count())
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			nums = append(nums, uint32(i*32+bits.TrailingZeros32(word)))
		}
	}
	return nums
}
