package ogg

import (
	"errors"
	"io"
	"math/bits"
	"slices"
)

const (
	maxUnplaced = 4 * 255  // packets without a position that are read: four pages full
	firstPage   = 16 << 10 // size of the first read of audio: a second of Opus
)

// firstGranule counts back from the first page that has a position. A negative result means that
// samples at the beginning are dropped.
func (r *Reader) firstGranule(s *Stream) (int64, error) {
	count, err := s.frameCounter()
	if err != nil || count == nil {
		return 0, err
	}
	// One read gets a first page of usual size.
	if _, err := r.w.Peek(s.Start, firstPage); err != nil {
		return 0, err
	}
	packets := s.Packets(r)
	frames := int64(0)
	for range maxUnplaced {
		packet, err := packets.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
		frames += int64(count(packet.Data))
		if packet.Granule < 0 {
			continue
		}
		if packet.last {
			return max(0, packet.Granule-frames), nil // a short last page drops samples at the end
		}
		return packet.Granule - frames, nil
	}
	return 0, nil
}

// frameCounter returns a function that is called with the packets of the stream in order and
// returns the number of frames that each completes; nil for codecs that always begin at 0.
func (s *Stream) frameCounter() (func(packet []byte) int, error) {
	switch s.Codec {
	case Opus:
		return opusFrames, nil
	case FLAC:
		return flacFrames, nil
	case Vorbis:
		long, err := s.vorbisModes()
		if err != nil || len(long) == 0 {
			return nil, err
		}
		sizes := [2]int{1 << (s.ID[28] & 15), 1 << (s.ID[28] >> 4)}
		before := 0
		return func(packet []byte) int {
			if len(packet) == 0 || packet[0]&1 != 0 {
				return 0 // not audio
			}
			mode := int(packet[0]>>1) & (1<<bits.Len(uint(len(long)-1)) - 1)
			if mode >= len(long) {
				return 0
			}
			size := sizes[long[mode]]
			frames := 0
			if before > 0 {
				frames = before/4 + size/4
			}
			before = size
			return frames
		}, nil
	}
	return nil, nil
}

// opusFrames returns the length of an Opus packet at 48 kHz (RFC 6716, section 3.1).
func opusFrames(packet []byte) int {
	if len(packet) == 0 {
		return 0
	}
	config := packet[0] >> 3
	size := 120 << (config & 3) // CELT
	switch {
	case config < 12: // SILK
		size = [4]int{480, 960, 1920, 2880}[config&3]
	case config < 16: // hybrid
		size = 480 << (config & 1)
	}
	switch packet[0] & 3 {
	case 0:
		return size
	case 3:
		if len(packet) < 2 {
			return 0
		}
		if n := size * int(packet[1]&63); n <= opusRate*120/1000 {
			return n
		}
		return 0
	}
	return 2 * size
}

// flacFrames returns the block size in the header of a FLAC frame (RFC 9639, section 9.1), 0 for
// other packets.
func flacFrames(packet []byte) int {
	if len(packet) < 16 || packet[0] != 0xff || packet[1]&0xfe != 0xf8 {
		return 0
	}
	number := max(bits.LeadingZeros8(^packet[4]), 1) // bytes of the number of the frame
	after := packet[4+number:]
	switch code := packet[2] >> 4; {
	case code == 0 || len(after) < 2:
		return 0
	case code == 1:
		return 192
	case code < 6:
		return 576 << (code - 2)
	case code == 6:
		return int(after[0]) + 1
	case code == 7:
		return int(after[0])<<8 + int(after[1]) + 1
	default:
		return 256 << (code - 8)
	}
}

// vorbisModes returns the block flag of each mode: 0 is a short block, 1 a long one. The modes are
// the last part of the setup header, so they are read backwards from its end without parsing the
// codebooks before them. It returns nothing when they are not found.
func (s *Stream) vorbisModes() ([]int, error) {
	const (
		maxModes  = 64
		modeBits  = 1 + 16 + 16 + 8 // block flag, window type, transform type, mapping
		countBits = 6
	)
	size := min(s.Setup.Size(), (maxModes*modeBits+countBits+7)/8+2)
	b, err := s.Setup.At(s.Setup.Size()-size, int(size))
	if err != nil {
		return nil, err
	}
	bit := func(at int) int { return int(b[at/8]>>(at%8)) & 1 }
	number := func(at, n int) (v int) {
		for i := range n {
			v |= bit(at+i) << i
		}
		return v
	}
	end := 8*len(b) - 1
	for end >= 0 && bit(end) == 0 { // the framing bit is the last that is set
		end--
	}
	var modes []int
	found := 0
	for start := end - modeBits; start >= countBits && len(modes) < maxModes; start -= modeBits {
		if number(start+1, 16) != 0 || number(start+17, 16) != 0 || number(start+33, 8) >= maxModes {
			break
		}
		modes = append(modes, bit(start))
		if number(start-countBits, countBits)+1 == len(modes) {
			found = len(modes) // a short list may match by chance
		}
	}
	modes = modes[:found]
	slices.Reverse(modes)
	return modes, nil
}
