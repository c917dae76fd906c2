package flac

import "math/bits"

const (
	maxPartitions = 6  // as a power of two
	maxNarrow     = 14 // the largest parameter that fits in 4 bits; the next one has another meaning
	maxWide       = 30
)

// riceCode is how a residual is coded: in partitions of equal length with a parameter each.
type riceCode struct {
	partitions uint // as a power of two
	k          [1 << maxPartitions]uint8
	wide       bool // parameters have 5 bits
	bits       int  // estimated, at least what is needed
}

// fold maps numbers of both signs to those without: 0, −1, 1, −2 … become 0, 1, 2, 3 …
func fold(v int32) uint32 { return uint32(v<<1) ^ uint32(v>>31) }

// planRice chooses partitions and parameters for the residual of a block of n samples.
func planRice(rest []int32, n, order int) riceCode {
	finest := uint(0)
	for finest < maxPartitions && n%(2<<finest) == 0 && n>>(finest+1) > order {
		finest++
	}
	var sums [1 << maxPartitions]uint64
	at := 0
	for p := range 1 << finest {
		end := (p+1)*(n>>finest) - order
		for _, v := range rest[at:end] {
			sums[p] += uint64(fold(v))
		}
		at = end
	}
	best := riceCode{bits: 1 << 62}
	for level := int(finest); level >= 0; level-- {
		plan := riceCode{partitions: uint(level)}
		size := n >> level
		for p := range 1 << level {
			count := size
			if p == 0 {
				count -= order
			}
			k, cost := riceParameter(sums[p], count)
			plan.k[p] = uint8(k)
			plan.wide = plan.wide || k > maxNarrow
			plan.bits += cost
		}
		plan.bits += 6 + 5<<level
		if plan.bits < best.bits {
			best = plan
		}
		for p := range 1 << level / 2 {
			sums[p] = sums[2*p] + sums[2*p+1]
		}
	}
	return best
}

// riceParameter returns the best parameter for count numbers with that sum, and an upper bound of
// the bits that they need.
func riceParameter(sum uint64, count int) (k uint, cost int) {
	if count == 0 {
		return 0, 0
	}
	middle := bits.Len64(sum / uint64(count))
	cost = 1 << 62
	for try := max(0, middle-2); try <= min(middle, maxWide); try++ {
		if need := count*(try+1) + int(sum>>try); need < cost {
			k, cost = uint(try), need
		}
	}
	return k, cost
}

// write appends the residual of a block of n samples.
func (r *riceCode) write(w *bitWriter, rest []int32, n, order int) {
	width := uint(4)
	if r.wide {
		width = 5
	}
	w.put(uint64(width-4), 2)
	w.put(uint64(r.partitions), 4)
	at := 0
	for p := range 1 << r.partitions {
		k := uint(r.k[p])
		w.put(uint64(k), width)
		end := (p+1)*(n>>r.partitions) - order
		for _, v := range rest[at:end] {
			w.putRice(fold(v), k)
		}
		at = end
	}
}
