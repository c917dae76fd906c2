package decode

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"waxwing/internal/audio"
)

// aiffFormat is the "COMM" chunk.
type aiffFormat struct {
	channels    int
	frames      int64
	bits        int
	rate        int
	compression string // four letters; "NONE" in plain AIFF
}

// openAIFF opens AIFF and uncompressed AIFF-C.
func openAIFF(in audio.Input) (audio.Source, error) {
	var head [12]byte
	if err := readFull(in, head[:], 0); err != nil {
		return nil, fmt.Errorf("open AIFF: %w", err)
	}
	var format *aiffFormat
	var data *chunk
	err := walkChunks(in, binary.BigEndian, func(c chunk) (bool, error) {
		switch c.id {
		case "COMM":
			f, err := readAIFFFormat(in, c, string(head[8:]) == "AIFC")
			if err != nil {
				return false, err
			}
			format = &f
		case "SSND":
			var b [8]byte
			if err := readFull(in, b[:], c.start); err != nil {
				return false, err
			}
			skip := 8 + int64(binary.BigEndian.Uint32(b[:]))
			streamed := c.size == 0 || c.size == math.MaxUint32
			c.start += skip
			c.size -= skip
			if streamed {
				c.size = max(in.Size()-c.start, 0)
			}
			data = &c
		}
		return format != nil && data != nil, nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("open AIFF: %w", err)
	case format == nil:
		return nil, fmt.Errorf("open AIFF: the file does not say its format: %w", io.ErrUnexpectedEOF)
	case data == nil && format.frames == 0:
		data = &chunk{} // the standard allows a file without sound to leave the chunk out
	case data == nil:
		return nil, fmt.Errorf("open AIFF: the file has no sound in it: %w", io.ErrUnexpectedEOF)
	}
	samples, err := format.samples()
	if err != nil {
		return nil, err
	}
	size := data.size
	if format.frames > 0 {
		size = min(size, format.frames*int64(format.channels)*int64(samples.bytes))
	}
	return newPCM(in, data.start, size, format.rate, format.channels, samples)
}

func readAIFFFormat(in audio.Input, c chunk, compressed bool) (aiffFormat, error) {
	var b [22]byte
	need := b[:18]
	if compressed {
		need = b[:]
	}
	if c.size < int64(len(need)) {
		return aiffFormat{}, fmt.Errorf("its format is only %d bytes long: %w", c.size, io.ErrUnexpectedEOF)
	}
	if err := readFull(in, need, c.start); err != nil {
		return aiffFormat{}, err
	}
	f := aiffFormat{
		channels:    int(binary.BigEndian.Uint16(b[0:])),
		frames:      int64(binary.BigEndian.Uint32(b[2:])),
		bits:        int(binary.BigEndian.Uint16(b[6:])),
		rate:        extended(b[8:18]),
		compression: "NONE",
	}
	if compressed {
		f.compression = string(b[18:22])
	}
	return f, nil
}

// extended reads a positive 80-bit floating point number, rounded to an integer; 0 when it is out of reach.
func extended(b []byte) int {
	exponent := int(binary.BigEndian.Uint16(b)) - 16383
	mantissa := binary.BigEndian.Uint64(b[2:])
	if exponent < 0 || exponent > 30 {
		return 0
	}
	v := mantissa >> (62 - exponent)
	return int(v>>1 + v&1)
}

func (f aiffFormat) samples() (sampleFormat, error) {
	bytes := (f.bits + 7) / 8
	var s sampleFormat
	ok := true
	switch strings.ToLower(f.compression) {
	case "none", "twos":
		s, ok = integers(bytes, binary.BigEndian)
	case "sowt":
		s, ok = integers(bytes, binary.LittleEndian)
	case "in24":
		s, ok = integers(3, binary.BigEndian)
	case "in32":
		s, ok = integers(4, binary.BigEndian)
	case "42ni":
		s, ok = integers(3, binary.LittleEndian)
	case "23ni":
		s, ok = integers(4, binary.LittleEndian)
	case "raw ":
		s, ok = sampleFormat{1, unsigned8}, bytes == 1
	case "fl32":
		s, ok = floats(4, binary.BigEndian)
	case "fl64":
		s, ok = floats(8, binary.BigEndian)
	case "alaw":
		s = sampleFormat{1, aLaw}
	case "ulaw":
		s = sampleFormat{1, muLaw}
	default:
		ok = false
	}
	if !ok {
		return s, fmt.Errorf("%w: AIFF of format %q with %d bits", audio.ErrUnsupported, f.compression, f.bits)
	}
	return s, nil
}
