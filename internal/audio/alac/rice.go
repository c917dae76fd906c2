package alac

import "math/bits"

// rice has the parameters of the adaptive Golomb code of one channel in one packet.
type rice struct {
	history  uint32 // start of the running mean, in 1/512
	rate     uint32 // weight of a new value, in 1/512
	limit    int    // of the parameter
	escapeTo int    // bits of a value that is too large for the code
}

const (
	riceUnit = 9  // fractional bits of the mean
	maxOnes  = 9  // ones before a value that is stored verbatim
	maxRun   = 16 // bits of a run of zeros that is stored verbatim
)

// read fills out with residuals. Silence is coded as runs of zeros.
func (c rice) read(r *bitReader, out []int32) error {
	mean := c.history
	afterRun := uint32(0) // after a run of zeros the next value is not zero
	for i := 0; i < len(out); {
		k := min(bits.Len32(mean>>riceUnit+3)-1, c.limit)
		coded := golomb(r, k, 1<<k-1, c.escapeTo)
		if r.over {
			return errPacket
		}
		value := coded + afterRun
		out[i] = int32(value>>1) ^ -int32(value&1)
		i++
		mean += c.rate*value - c.rate*mean>>riceUnit
		if coded > 0xffff {
			mean = 0xffff
		}
		afterRun = 0

		if mean<<2 >= 1<<riceUnit || i == len(out) {
			continue
		}
		k = bits.LeadingZeros32(mean) - 24 + int((mean+16)>>6)
		run := golomb(r, k, (1<<k-1)&(1<<c.limit-1), maxRun)
		if r.over || int(run) > len(out)-i {
			return errPacket
		}
		clear(out[i : i+int(run)])
		i += int(run)
		mean = 0
		if run < 0xffff {
			afterRun = 1
		}
	}
	return nil
}

// golomb reads one value: a number of ones, each worth unit, and a remainder of k bits, or k−1 when
// it is zero.
func golomb(r *bitReader, k int, unit uint32, escape int) uint32 {
	ones := bits.LeadingZeros32(^r.peek())
	if ones >= maxOnes {
		r.skip(maxOnes)
		return r.read(escape)
	}
	r.skip(ones + 1)
	if k == 1 {
		return uint32(ones) * unit
	}
	rest := uint32(uint64(r.peek()) >> (32 - k))
	if rest < 2 {
		r.skip(k - 1)
		return uint32(ones) * unit
	}
	r.skip(k)
	return uint32(ones)*unit + rest - 1
}
