package decode

import (
	"fmt"
	"io"

	"waxwing/internal/audio"
	"waxwing/internal/media/riff"
	"waxwing/internal/media/window"
)

// openWAV opens RIFF, RIFX (big-endian), RF64 and BW64 (longer than 4 GiB) WAVE files.
func openWAV(in audio.Input) (audio.Source, error) {
	file, err := riff.ReadWAVE(window.New(in, in.Size()), nil)
	if err != nil {
		return nil, fmt.Errorf("open WAV: %w", err)
	}
	if file.Format == riff.MP3 {
		return openMP3(io.NewSectionReader(in, file.Off, file.Size))
	}
	var format sampleFormat
	ok := false
	switch size := file.SampleSize; file.Format {
	case riff.PCM:
		if size == 1 {
			format, ok = sampleFormat{1, unsigned8}, true
		} else {
			format, ok = integers(size, file.Order)
		}
	case riff.Float:
		format, ok = floats(size, file.Order)
	case riff.ALaw:
		format, ok = sampleFormat{1, aLaw}, size == 1
	case riff.MuLaw:
		format, ok = sampleFormat{1, muLaw}, size == 1
	}
	if !ok {
		return nil, fmt.Errorf("%w: WAV of format %#04x with %d bits", audio.ErrUnsupported, file.Format, file.Bits)
	}
	src, err := newPCM(in, file.Audio, format)
	if err != nil {
		return nil, err
	}
	return inWaveOrder(src, file.Mask), nil
}
