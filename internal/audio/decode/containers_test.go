package decode

import (
	"os/exec"
	"strings"
	"testing"
)

// TestOtherContainersEqualFFmpeg plays our codecs from MP4 and Matroska and compares every sample
// with those of ffmpeg; seeks must give the samples of playback from the start.
func TestOtherContainersEqualFFmpeg(t *testing.T) {
	const rate, channels, frames = 48000, 2, 100_003
	for _, c := range []struct {
		extension, codec, args string
		open                   opener
		limit                  float64 // dB
	}{
		{"mp4", "opus", "-c:a libopus", openMP4, -90},
		{"mp4", "flac", "-c:a flac -strict -2", openMP4, -1000},
		{"mp4", "mp3", "-c:a libmp3lame", openMP4, -110},
		{"mka", "opus", "-c:a libopus", openMatroska, -90},
		{"webm", "vorbis", "-c:a libvorbis", openMatroska, -120},
		{"mka", "flac", "-c:a flac", openMatroska, -1000},
		{"mka", "mp3", "-c:a libmp3lame", openMatroska, -110},
		{"mka", "aac", "-c:a aac -aac_pns 0", openMatroska, aacLimit},
		{"mka", "alac", "-c:a alac", openMatroska, -1000},
	} {
		t.Run(c.codec+" in "+c.extension, func(t *testing.T) {
			t.Parallel()
			path := encode(t, melody(rate, channels, frames), rate, channels, c.extension, strings.Fields(c.args)...)
			source := mustOpen(t, c.open, load(t, path))
			info := source.Info()
			if info.Codec != c.codec || info.Rate != rate || info.Channels != channels {
				t.Fatalf("got %+v, want %s of %d channels at %d Hz", info, c.codec, channels, rate)
			}
			whole := readWhole(t, source)
			if int64(len(whole)) != info.Frames*channels || info.Frames < frames || info.Frames > frames+2*1152 {
				t.Errorf("plays %d frames and declares %d, want %d and some padding", len(whole)/channels, info.Frames, frames)
			}
			want := byReference(t, path, c.codec)
			n := min(len(want), len(whole))
			if n < frames*channels {
				t.Fatalf("ffmpeg plays %d frames, want %d", len(want)/channels, frames)
			}
			checkClose(t, whole[:n], want[:n], c.limit)
			checkSeeks(t, source, whole, -1000)
		})
	}
}

// byReference decodes a file with ffmpeg, and Opus with libopus.
func byReference(t *testing.T, path, codec string) []float32 {
	if codec != "opus" {
		return byFFmpeg(t, path)
	}
	return run32(t, exec.Command("ffmpeg", "-v", "error", "-c:a", "libopus", "-i", path, "-f", "f32le", "-"))
}

func matroskaFile(t testing.TB, frames int, args ...string) []byte {
	return input(t, encode(t, melody(48000, 2, frames), 48000, 2, "mka", args...))
}

func TestDamagedMatroska(t *testing.T) {
	survive(t, openMatroska, matroskaFile(t, 10000, "-c:a", "libopus"))
	survive(t, openMatroska, matroskaFile(t, 10000, "-c:a", "libvorbis"))
}

func FuzzMatroska(f *testing.F) {
	var seeds [][]byte
	for _, codec := range []string{"libopus", "libvorbis", "libmp3lame", "aac", "flac", "alac"} {
		seeds = append(seeds, matroskaFile(f, 3000, "-c:a", codec))
	}
	fuzz(f, bare(openMatroska), nil, seeds...)
}
