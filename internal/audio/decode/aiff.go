package decode

import (
	"encoding/binary"
	"fmt"

	"waxwing/internal/audio"
	"waxwing/internal/media/riff"
	"waxwing/internal/media/window"
)

// openAIFF opens AIFF and uncompressed AIFF-C.
func openAIFF(in audio.Input) (audio.Source, error) {
	file, err := riff.ReadAIFF(window.New(in, in.Size()), nil)
	if err != nil {
		return nil, fmt.Errorf("open AIFF: %w", err)
	}
	var format sampleFormat
	ok := true
	switch size := file.SampleSize; file.Compression {
	case "none", "twos", "in24", "in32":
		format, ok = integers(size, binary.BigEndian)
	case "sowt", "42ni", "23ni":
		format, ok = integers(size, binary.LittleEndian)
	case "raw ":
		format, ok = sampleFormat{1, unsigned8}, size == 1
	case "fl32", "fl64":
		format, ok = floats(size, binary.BigEndian)
	case "alaw":
		format = sampleFormat{1, aLaw}
	case "ulaw":
		format = sampleFormat{1, muLaw}
	default:
		ok = false
	}
	if !ok {
		return nil, fmt.Errorf("%w: AIFF of format %q with %d bits", audio.ErrUnsupported, file.Compression, file.Bits)
	}
	return newPCM(in, file.Audio, format)
}
