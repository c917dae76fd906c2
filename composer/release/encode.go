package release

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os/exec"
)

// Format is a way to encode a track with Debian's ffmpeg.
type Format struct {
	Extension string
	Rate      float64
	Lossless  bool
	codec     []string
}

// The formats of the collection. Lossy ones get the rendered floats at a rate of their
// own; the lossless one is recorded at 32 kHz, where it is still small.
var (
	FLAC   = Format{"flac", 32000, true, []string{"-c:a", "flac", "-compression_level", "12", "-sample_fmt", "s16"}}
	MP3    = Format{"mp3", 44100, false, []string{"-c:a", "libmp3lame", "-q:a", "7", "-id3v2_version", "4"}}
	Vorbis = Format{"ogg", 44100, false, []string{"-c:a", "libvorbis", "-q:a", "1.5"}}
	Opus   = Format{"opus", 48000, false, []string{"-c:a", "libopus", "-b:a", "60k", "-frame_duration", "20"}}
	AAC    = Format{"m4a", 44100, false, []string{"-c:a", "aac", "-b:a", "88k", "-movflags", "+faststart"}}
)

// Encode writes the take to a file, without tags. The same samples give the same bytes
// with the same ffmpeg: nothing in the file depends on time or chance.
func (t Take) Encode(ctx context.Context, file string) error {
	input, layout := t.pcm()
	args := []string{"-v", "error", "-y", "-f", layout, "-ar", fmt.Sprint(t.Format.Rate), "-ac", "2", "-i", "pipe:0",
		"-map_metadata", "-1", "-fflags", "+bitexact", "-flags:a", "+bitexact", "-threads", "1"}
	args = append(append(args, t.Format.codec...), file)
	ffmpeg := exec.CommandContext(ctx, "ffmpeg", args...)
	ffmpeg.Stdin = bytes.NewReader(input)
	if out, err := ffmpeg.CombinedOutput(); err != nil {
		return fmt.Errorf("encode %s: %w: %s", file, err, out)
	}
	return nil
}

// pcm is the take as raw samples, with ffmpeg's name for their layout.
func (t Take) pcm() (raw []byte, layout string) {
	var buf bytes.Buffer
	if t.samples != nil {
		_ = binary.Write(&buf, binary.LittleEndian, t.samples) // a bytes.Buffer takes everything
		return buf.Bytes(), "s16le"
	}
	floats := make([]float32, 0, 2*t.Sound.Len())
	for i := range t.Sound.L {
		floats = append(floats, float32(t.Sound.L[i]), float32(t.Sound.R[i]))
	}
	_ = binary.Write(&buf, binary.LittleEndian, floats)
	return buf.Bytes(), "f32le"
}
