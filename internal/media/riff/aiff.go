package riff

import (
	"encoding/binary"
	"math"
	"strings"

	"waxwing/internal/media/window"
)

// AIFF is an AIFF or AIFF-C file.
type AIFF struct {
	Audio
	Compression string // four letters in lower case; "none" in plain AIFF
	declared    int64  // frames
}

// ReadAIFF reads AIFF and AIFF-C. It calls other, if not nil, for each chunk that does not describe
// the audio; without it reading stops at the audio.
func ReadAIFF(w *window.Reader, other func(Chunk) error) (*AIFF, error) {
	head, err := w.At(0, headerSize)
	if err != nil {
		return nil, err
	}
	f := &AIFF{Compression: "none"}
	compressed := string(head[8:12]) == "AIFC"
	found := false
	for c, err := range Chunks(w, headerSize, w.Size(), binary.BigEndian) {
		if err != nil {
			return nil, err
		}
		switch c.ID {
		case "COMM":
			err = f.readFormat(w, *c, compressed)
			found = true
		case "SSND":
			if f.Size <= 0 { // an empty chunk may precede the audio
				err = f.readData(w, c)
			}
		default:
			if other != nil {
				err = other(*c)
			}
		}
		if err != nil {
			return nil, err
		}
		if other == nil && found && f.Size > 0 {
			break
		}
	}
	switch {
	case !found:
		return nil, window.Damaged("the AIFF file does not declare its format")
	case f.Off == 0 && f.declared > 0: // a file without audio need not have the chunk
		return nil, window.Damaged("the AIFF file has no audio")
	}
	f.SampleSize = f.sampleSize()
	return f, f.finish(w.Size(), f.declared)
}

func (f *AIFF) readData(w *window.Reader, c *Chunk) error {
	b, err := w.At(c.Off, 8)
	if err != nil {
		return err
	}
	if c.Size == 0 || c.Size == math.MaxUint32 { // written to a pipe
		c.Size = max(w.Size()-c.Off, 0)
	}
	skip := 8 + int64(binary.BigEndian.Uint32(b))
	f.Off, f.Size = c.Off+skip, c.Size-skip
	return nil
}

func (f *AIFF) readFormat(w *window.Reader, c Chunk, compressed bool) error {
	size := 18
	if compressed {
		size = 22
	}
	if c.Size < int64(size) {
		return window.Damaged("the format of the AIFF file has only %d bytes", c.Size)
	}
	b, err := w.At(c.Off, size)
	if err != nil {
		return err
	}
	f.Channels = int(binary.BigEndian.Uint16(b[0:]))
	f.declared = int64(binary.BigEndian.Uint32(b[2:]))
	f.Bits = int(binary.BigEndian.Uint16(b[6:]))
	f.Rate = extended(b[8:18])
	if compressed {
		f.Compression = strings.ToLower(string(b[18:22]))
	}
	return nil
}

// extended converts a positive 80-bit floating point number to the nearest integer; 0 when it is
// too large.
func extended(b []byte) int {
	exponent := int(binary.BigEndian.Uint16(b)) - 16383
	mantissa := binary.BigEndian.Uint64(b[2:])
	if exponent < 0 || exponent > 30 {
		return 0
	}
	v := mantissa >> (62 - exponent)
	return int(v>>1 + v&1)
}

func (f *AIFF) sampleSize() int {
	switch f.Compression {
	case "none", "twos", "sowt", "raw ":
		return (f.Bits + 7) / 8
	case "in24", "42ni":
		return 3
	case "in32", "23ni", "fl32":
		return 4
	case "fl64":
		return 8
	case "alaw", "ulaw":
		return 1
	}
	return 0
}
