package decode

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	"waxwing/internal/audio"
	"waxwing/internal/testenv"
)

// bare opens a file without the guard, so that panics fail the test. It rejects the rates that the
// guard would reject.
func bare(open opener) opener {
	return func(in audio.Input) (audio.Source, error) {
		src, err := open(in)
		if err != nil {
			return nil, err
		}
		if info := src.Info(); info.Rate < minRate || info.Rate > maxRate {
			return nil, errors.Join(errors.New("rejected"), src.Close())
		}
		return src, nil
	}
}

// fileOf returns the bytes of a file that ffmpeg writes.
func fileOf(t testing.TB, channels, frames int, extension string, args ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(encode(t, melody(44100, channels, frames), 44100, channels, extension, args...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDamagedFLAC(t *testing.T) {
	survive(t, bare(openFLAC), fileOf(t, 2, 8000, "flac", "-frame_size", "1024"))
}

func TestDamagedSurroundFLAC(t *testing.T) {
	survive(t, bare(openFLAC), fileOf(t, 6, 4000, "flac", "-sample_fmt", "s32", "-frame_size", "512"))
}

func TestDamagedWAV(t *testing.T) {
	survive(t, bare(openWAV), fileOf(t, 2, 300, "wav"))
}

func TestDamagedSurroundWAV(t *testing.T) {
	survive(t, bare(openWAV), fileOf(t, 4, 100, "wav", "-c:a", "pcm_f32le", "-rf64", "always"))
}

func TestDamagedAIFF(t *testing.T) {
	survive(t, bare(openAIFF), fileOf(t, 2, 300, "aiff"))
}

func TestDamagedAIFC(t *testing.T) {
	survive(t, bare(openAIFF), fileOf(t, 2, 100, "aiff", "-c:a", "pcm_f64be"))
}

func TestDamagedOggFLAC(t *testing.T) {
	survive(t, bare(openOgg), fileOf(t, 2, 8000, "ogg", "-c:a", "flac", "-frame_size", "1024"))
}

// The damage tests rely on this: checksums are corrected, and nothing else changes.
func TestFixChecksumsChangesOnlyDamagedFiles(t *testing.T) {
	for name, file := range map[string][]byte{
		"FLAC":          fileOf(t, 2, 8000, "flac", "-frame_size", "1024"),
		"surround FLAC": fileOf(t, 6, 4000, "flac", "-sample_fmt", "s32", "-frame_size", "500"),
		"FLAC in Ogg":   fileOf(t, 2, 8000, "ogg", "-c:a", "flac", "-frame_size", "1024"),
		"Vorbis":        vorbisFile(t, 44100, 2, 10000),
	} {
		fixed := bytes.Clone(file)
		testenv.FixChecksums(fixed, file)
		if !bytes.Equal(fixed, file) {
			t.Errorf("%s: intact file: got other bytes, want no change", name)
		}
		damaged := bytes.Clone(file)
		damaged[len(damaged)*3/4] ^= 0x55 // in the audio
		fixed = bytes.Clone(damaged)
		if testenv.FixChecksums(fixed, file); bytes.Equal(fixed, damaged) {
			t.Errorf("%s: damaged file: got the same bytes, want a corrected checksum", name)
		}
	}
}

func FuzzOggFLAC(f *testing.F) {
	fuzz(f, bare(openOgg), testenv.FixOggChecksums, fileOf(f, 2, 3000, "ogg", "-c:a", "flac", "-frame_size", "512"))
}

func FuzzFLAC(f *testing.F) {
	fuzz(f, bare(openFLAC), nil, fileOf(f, 2, 3000, "flac", "-frame_size", "512"), fileOf(f, 1, 500, "flac"))
}

func FuzzWAV(f *testing.F) {
	fuzz(f, bare(openWAV), nil, fileOf(f, 2, 100, "wav"), fileOf(f, 3, 100, "wav", "-c:a", "pcm_f32le"),
		fileOf(f, 1, 100, "wav", "-c:a", "pcm_s24le", "-rf64", "always"))
}

func FuzzAIFF(f *testing.F) {
	fuzz(f, bare(openAIFF), nil, fileOf(f, 2, 100, "aiff"), fileOf(f, 1, 100, "aiff", "-c:a", "pcm_f32be"))
}

// FuzzOpen tries all decoders.
func FuzzOpen(f *testing.F) {
	inside := func(in audio.Input) (audio.Source, error) { return Options{NoExternal: true}.Open(in) }
	fuzz(f, bare(inside), nil, append(id3(20), fileOf(f, 2, 300, "flac")...), fileOf(f, 2, 3000, "mp3"),
		fileOf(f, 2, 100, "wav"), fileOf(f, 2, 100, "aiff"), fileOf(f, 2, 300, "ogg", "-c:a", "libvorbis"),
		fileOf(f, 2, 300, "opus"), fileOf(f, 2, 300, "m4a", "-c:a", "aac"), fileOf(f, 2, 3000, "aac"))
}

// Files of a few bytes claim gigabytes.
func TestForgedSizesAreLimitedToTheFile(t *testing.T) {
	format := "\x01\x00\x02\x00\x44\xac\x00\x00\x10\xb1\x02\x00\x04\x00\x10\x00"
	wav := riffFile("WAVE", "fmt ", format, "data", "12345678")
	copy(wav[4:], "\xfe\xff\xff\xff")
	copy(wav[40:], "\xfe\xff\xff\xff")
	aiff := []byte("FORM\xff\xff\xff\xffAIFF" +
		"COMM\x00\x00\x00\x12\x00\x02\xff\xff\xff\xff\x00\x10\x40\x0e\xac\x44\x00\x00\x00\x00\x00\x00" +
		"SSND\xff\xff\xff\xf0\x00\x00\x00\x00\x00\x00\x00\x0012345678")
	for name, c := range map[string]struct {
		open opener
		file []byte
	}{"wav": {openWAV, wav}, "aiff": {openAIFF, aiff}} {
		t.Run(name, func(t *testing.T) {
			src := mustOpen(t, c.open, strict(c.file))
			if got := src.Info().Frames; got != 2 {
				t.Errorf("got %d frames, want 2", got)
			}
			var buf [64]float32
			if n, err := src.Read(buf[:]); n != 2 || err != nil {
				t.Errorf("Read: got %d frames and %v, want 2", n, err)
			}
			if n, err := src.Read(buf[:]); n != 0 || err != io.EOF {
				t.Errorf("Read at the end: got %d frames and %v, want io.EOF", n, err)
			}
		})
	}
}

// strict is a file that fails when it is read past its end.
type strict []byte

func (s strict) Size() int64 { return int64(len(s)) }

func (s strict) ReadAt(b []byte, at int64) (int, error) {
	if at < 0 || at+int64(len(b)) > int64(len(s)) {
		return 0, errors.New("read past the end")
	}
	return copy(b, s[at:]), nil
}
