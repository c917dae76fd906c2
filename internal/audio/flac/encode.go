package flac

import (
	"crypto/md5" //nolint:gosec // the format requires it, as a checksum
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
)

const (
	encodedBlock = 4096 // frames in a block, except the last one
	headerSize   = 42   // bytes before the first frame: "fLaC" and STREAMINFO
)

// Encoder writes FLAC with fixed and linear predictors, block by block. The header at the start of
// the output declares neither length nor checksum: Finish returns the one that belongs there.
type Encoder struct {
	out                   io.Writer
	rate, channels, depth int

	block            [8][]int32 // the samples of the block in progress
	mid, side        []int32
	filled           int // frames in the block in progress
	frames           int64
	smallest, widest int // bytes of a frame
	sum              hash.Hash
	raw              []byte
	bits             bitWriter
	coder            subframeCoder
}

// NewEncoder writes the start of a file to out. The depth is 16 or 24 bits; channels are in the
// order of WAVE.
func NewEncoder(out io.Writer, rate, channels, depth int) (*Encoder, error) {
	if rate < 1 || rate >= 1<<20 || channels < 1 || channels > 8 || depth != 16 && depth != 24 {
		return nil, fmt.Errorf("FLAC cannot have %d Hz, %d channels and %d bits", rate, channels, depth)
	}
	e := &Encoder{
		out: out, rate: rate, channels: channels, depth: depth, smallest: 1<<24 - 1,
		sum: md5.New(), //nolint:gosec // likewise
	}
	for c := range channels {
		e.block[c] = make([]int32, encodedBlock)
	}
	if channels == 2 {
		e.mid, e.side = make([]int32, encodedBlock), make([]int32, encodedBlock)
	}
	_, err := out.Write(e.header(0, 0, 0, nil))
	return e, err
}

// Write appends interleaved frames. Samples must fit in the depth.
func (e *Encoder) Write(samples []int32) error {
	e.digest(samples)
	for len(samples) > 0 {
		n := min(len(samples)/e.channels, encodedBlock-e.filled)
		for c := range e.channels {
			to := e.block[c][e.filled : e.filled+n]
			for i := range to {
				to[i] = samples[i*e.channels+c]
			}
		}
		samples = samples[n*e.channels:]
		e.filled += n
		if e.filled == encodedBlock {
			if err := e.writeFrame(); err != nil {
				return err
			}
		}
	}
	return nil
}

// digest adds samples to the checksum, which is that of little-endian PCM.
func (e *Encoder) digest(samples []int32) {
	e.raw = e.raw[:0]
	if e.depth == 16 {
		for _, v := range samples {
			e.raw = append(e.raw, byte(v), byte(v>>8))
		}
	} else {
		for _, v := range samples {
			e.raw = append(e.raw, byte(v), byte(v>>8), byte(v>>16))
		}
	}
	e.sum.Write(e.raw)
}

// Finish writes the last block and returns the final header, which belongs at the start of the
// output. A stream without a frame is an error: the format cannot express its length.
func (e *Encoder) Finish() (header []byte, err error) {
	if e.filled > 0 {
		if err := e.writeFrame(); err != nil {
			return nil, err
		}
	}
	if e.frames == 0 {
		return nil, errors.New("there is no audio to encode")
	}
	return e.header(e.smallest, e.widest, e.frames, e.sum.Sum(nil)), nil
}

// header returns the first bytes of a file: its signature and STREAMINFO.
func (e *Encoder) header(smallest, widest int, frames int64, sum []byte) []byte {
	b := append(make([]byte, 0, headerSize), "fLaC\x80\x00\x00\x22"...)
	b = binary.BigEndian.AppendUint16(b, encodedBlock)
	b = binary.BigEndian.AppendUint16(b, encodedBlock)
	b = append(b, byte(smallest>>16), byte(smallest>>8), byte(smallest))
	b = append(b, byte(widest>>16), byte(widest>>8), byte(widest))
	if frames >= 1<<36 {
		frames = 0 // not declared
	}
	b = binary.BigEndian.AppendUint64(b, uint64(e.rate)<<44|uint64(e.channels-1)<<41|uint64(e.depth-1)<<36|uint64(frames))
	return append(append(b, sum...), make([]byte, 16-len(sum))...)
}

// writeFrame encodes the block in progress.
func (e *Encoder) writeFrame() error {
	n := e.filled
	w := &e.bits
	w.reset()
	var coded [8][]int32
	for c := range e.channels {
		coded[c] = e.block[c][:n]
	}
	stereo := 0
	if e.channels == 2 {
		stereo = e.decorrelate(&coded)
	}
	e.frameHeader(n, stereo)
	for c := range e.channels {
		depth := uint(e.depth)
		if stereo != 0 && (c == 0) == (stereo == sideRight) {
			depth++
		}
		e.coder.write(w, coded[c], depth)
	}
	w.align()
	w.buf = binary.BigEndian.AppendUint16(w.buf, crc16(w.buf))
	e.smallest, e.widest = min(e.smallest, len(w.buf)), max(e.widest, len(w.buf))
	e.frames += int64(n)
	e.filled = 0
	_, err := e.out.Write(w.buf)
	return err
}

// decorrelate replaces two channels by the pair that seems to need the fewest bits, and returns the
// coding.
func (e *Encoder) decorrelate(coded *[8][]int32) int {
	left, right := coded[0], coded[1]
	mid, side := e.mid[:len(left)], e.side[:len(left)]
	for i := range left {
		mid[i], side[i] = (left[i]+right[i])>>1, left[i]-right[i]
	}
	l, r, m, s := roughness(left), roughness(right), roughness(mid), roughness(side)
	switch min(l+r, l+s, s+r, m+s) {
	case l + r:
		return 0
	case m + s:
		coded[0], coded[1] = mid, side
		return midSide
	case l + s:
		coded[1] = side
		return leftSide
	}
	coded[0] = side
	return sideRight
}

// roughness estimates how many bits samples need: the sum of their second differences.
func roughness(s []int32) (sum int64) {
	for i := 2; i < len(s); i++ {
		d := int64(s[i]) - 2*int64(s[i-1]) + int64(s[i-2])
		sum += max(d, -d)
	}
	return sum
}

// frameRates are the rates with a code of their own, from code 1 on.
var frameRates = [...]int{88200, 176400, 192000, 8000, 16000, 22050, 24000, 32000, 44100, 48000, 96000}

func (e *Encoder) frameHeader(n, stereo int) {
	w := &e.bits
	w.put(0xFFF8, 16) // fixed block size
	if n == encodedBlock {
		w.put(12, 4)
	} else {
		w.put(7, 4) // it follows in 16 bits
	}
	rate := uint64(0) // as in STREAMINFO
	for i, known := range frameRates {
		if known == e.rate {
			rate = uint64(i + 1)
		}
	}
	w.put(rate, 4)
	if stereo == 0 {
		w.put(uint64(e.channels-1), 4)
	} else {
		w.put(uint64(7+stereo), 4)
	}
	depth := uint64(4)
	if e.depth == 24 {
		depth = 6
	}
	w.put(depth<<1, 4)
	w.putNumber(uint64(e.frames / encodedBlock))
	if n != encodedBlock {
		w.put(uint64(n-1), 16)
	}
	w.align()
	w.put(uint64(crc8(w.buf)), 8)
}
