package decode

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"waxwing/internal/audio/aac"
)

func TestALACEqualsSource(t *testing.T) {
	type variant struct {
		rate, channels, frames int
		args                   []string
	}
	for _, c := range some(5, []variant{
		{8000, 1, 20011, nil},
		{44100, 2, 50003, nil},
		{96000, 2, 50001, []string{"-sample_fmt", "s32p"}},
		{48000, 6, 20001, []string{"-channel_layout", "5.1"}},
		{44100, 2, 100, nil},
		{44100, 1, 100000, nil},
		{44100, 2, 200003, nil},
		{48000, 2, 4096, []string{"-sample_fmt", "s32p"}},
		{96000, 2, 150001, []string{"-sample_fmt", "s32p"}},
		{192000, 2, 150001, []string{"-sample_fmt", "s32p"}},
		{48000, 1, 50001, []string{"-sample_fmt", "s32p"}},
		{48000, 3, 60000, []string{"-channel_layout", "3.0"}},
		{48000, 5, 60000, []string{"-channel_layout", "5.0"}},
		{48000, 6, 60001, []string{"-channel_layout", "5.1"}},
		{96000, 6, 60001, []string{"-channel_layout", "5.1", "-sample_fmt", "s32p"}},
		{48000, 7, 60001, []string{"-channel_layout", "6.1(back)"}},
		{48000, 8, 60001, []string{"-channel_layout", "7.1(wide)"}},
	}) {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			args := append([]string{"-c:a", "alac"}, c.args...)
			if c.args == nil {
				args = append(args, "-sample_fmt", "s16p")
			}
			path := encode(t, melody(c.rate, c.channels, c.frames), c.rate, c.channels, "m4a", args...)
			source := mustOpen(t, openMP4, load(t, path))
			info := source.Info()
			if info.Codec != "alac" || info.Rate != c.rate || info.Channels != c.channels || info.Frames != int64(c.frames) {
				t.Fatalf("got %+v, want %+v", info, c)
			}
			whole := readWhole(t, source)
			want := byFFmpeg(t, path)
			if c.channels == 7 { // ffmpeg has the back centre after the sides
				for i := 0; i < len(want); i += 7 {
					want[i+4], want[i+5], want[i+6] = want[i+6], want[i+4], want[i+5]
				}
			}
			checkClose(t, whole, want, -1000)
			checkSeeks(t, source, whole, -1000)
		})
	}
}

func TestAACEqualsFFmpeg(t *testing.T) {
	type variant struct {
		rate, channels, frames int
		args                   []string
	}
	for _, c := range some(5, []variant{
		{22050, 1, 20011, nil},
		{44100, 2, 100003, nil},
		{48000, 6, 30001, []string{"-channel_layout", "5.1"}},
		{44100, 8, 20001, []string{"-channel_layout", "7.1"}},
		{48000, 6, 20001, []string{"-channel_layout", "5.1(side)"}}, // described by the stream
		{44100, 2, 100, nil},
		{8000, 1, 20011, nil},
		{16000, 2, 50000, nil},
		{44100, 1, 100000, nil},
		{44100, 2, 300003, nil},
		{44100, 2, 200003, []string{"-b:a", "320k"}},
		{44100, 2, 200003, []string{"-b:a", "40k", "-aac_is", "1", "-aac_tns", "1"}},
		{48000, 2, 10240, []string{"-movflags", "+faststart"}},
		{96000, 2, 150001, nil},
		{48000, 3, 60001, []string{"-channel_layout", "3.0"}},
		{48000, 4, 60001, []string{"-channel_layout", "quad"}},
		{48000, 5, 60001, []string{"-channel_layout", "5.0"}},
		{8000, 6, 30001, []string{"-channel_layout", "5.1"}},
		{96000, 6, 150001, []string{"-channel_layout", "5.1"}},
		{96000, 8, 150001, []string{"-channel_layout", "7.1"}},
	}) {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			args := append([]string{"-c:a", "aac", "-aac_pns", "0"}, c.args...)
			path := encode(t, melody(c.rate, c.channels, c.frames), c.rate, c.channels, "m4a", args...)
			source := mustOpen(t, openMP4, load(t, path))
			info := source.Info()
			if info.Codec != "aac" || info.Rate != c.rate || info.Channels != c.channels || info.Frames != int64(c.frames) {
				t.Fatalf("got %+v, want %+v", info, c)
			}
			whole := readWhole(t, source)
			want := byFFmpeg(t, path) // with the padding at the end
			if len(want)-len(whole) >= aac.FrameSize*c.channels {
				t.Errorf("samples: got %d, want at most one frame less than %d as of ffmpeg", len(whole), len(want))
			}
			checkClose(t, whole, want[:len(whole)], aacLimit)
			checkSeeks(t, source, whole, -1000)
		})
	}
}

// aacLimit is the largest difference from the samples of ffmpeg, which uses single precision, in
// dBFS.
const aacLimit = -125

// Layouts that audio.Info does not have are converted to wider ones.
func TestAACOfOtherLayoutsBecomesWider(t *testing.T) {
	for layout, slots := range map[string][]int{
		"2.1": {0, 1, 3},
		"3.1": {0, 1, 2, 3},
		"4.0": {0, 1, 2, 4},
	} {
		width := 6
		if layout == "4.0" { // only 6.1 has a back centre
			width = 7
		}
		for extension, open := range map[string]opener{"m4a": openMP4, "aac": openADTS} {
			n := len(slots)
			path := encode(t, melody(44100, n, 5000), 44100, n, extension,
				"-channel_layout", layout, "-c:a", "aac", "-aac_pns", "0")
			source := mustOpen(t, open, load(t, path))
			got, from := readWhole(t, source), byFFmpeg(t, path)
			want := make([]float32, len(got))
			for i := range len(got) / width {
				for c, slot := range slots {
					want[i*width+slot] = from[i*n+c]
				}
			}
			checkClose(t, got, want, aacLimit)
			checkSeeks(t, source, got, -1000)
		}
	}
}

// Every decoder generates its own substitute for noise, so the samples differ from those of ffmpeg.
// The level must be right, and the samples after a seek must be the same as without.
func TestAACNoiseHasRightLevelAndSeeksExactly(t *testing.T) {
	path := encode(t, melody(44100, 2, 100000), 44100, 2, "m4a", "-c:a", "aac", "-aac_pns", "1", "-b:a", "96k")
	source := mustOpen(t, openMP4, load(t, path))
	whole := readWhole(t, source)
	checkSeeks(t, source, whole, -1000)
	want := byFFmpeg(t, path)[:len(whole)]
	if level := loudnessOf(whole) - loudnessOf(want); math.Abs(level) > 0.1 {
		t.Errorf("got %.2f dB more than ffmpeg, want 0", level)
	}
}

// loudnessOf returns the power of a signal in dB.
func loudnessOf(samples []float32) float64 {
	sum := 0.0
	for _, s := range samples {
		sum += float64(s) * float64(s)
	}
	return 10 * math.Log10(sum/float64(len(samples)))
}

// ffmpeg writes no edit list with fragments, so the encoder's delay is not removed.
func TestFragmentedMP4EqualsFFmpeg(t *testing.T) {
	path := encode(t, melody(48000, 2, 60000), 48000, 2, "m4a", "-c:a", "aac", "-aac_pns", "0",
		"-movflags", "+frag_keyframe+empty_moov", "-frag_duration", "300000")
	source := mustOpen(t, openMP4, load(t, path))
	whole := readWhole(t, source)
	if got, want := source.Info().Frames, int64(60000+aac.FrameSize); got != want {
		t.Errorf("got %d frames, want %d", got, want)
	}
	checkClose(t, whole, byFFmpeg(t, path)[:len(whole)], aacLimit)
	checkSeeks(t, source, whole, -1000)
}

// QuickTime has other sample descriptions than MP4.
func TestQuickTimeEqualsFFmpeg(t *testing.T) {
	for codec, limit := range map[string]float64{"alac": -1000, "aac": aacLimit} {
		format := map[string]string{"alac": "s16p", "aac": "fltp"}[codec]
		path := encode(t, melody(44100, 2, 20000), 44100, 2, "mov",
			"-c:a", codec, "-sample_fmt", format, "-aac_pns", "0")
		source := mustOpen(t, openMP4, load(t, path))
		whole := readWhole(t, source)
		if len(whole) != 2*20000 {
			t.Errorf("%s: got %d samples, want 40000", codec, len(whole))
		}
		checkClose(t, whole, byFFmpeg(t, path)[:len(whole)], limit)
	}
}

// Only a wider layout has the back centre that four channels of ALAC have.
func TestALACWithBackCenterBecomesWider(t *testing.T) {
	path := encode(t, melody(44100, 4, 5000), 44100, 4, "m4a",
		"-channel_layout", "4.0", "-c:a", "alac", "-sample_fmt", "s16p")
	source := mustOpen(t, openMP4, load(t, path))
	got, from := readWhole(t, source), byFFmpeg(t, path)
	want := make([]float32, 0, len(got))
	for i := 0; i < len(from); i += 4 {
		want = append(want, from[i], from[i+1], from[i+2], 0, from[i+3], 0, 0)
	}
	checkClose(t, got, want, -1000)
}

func TestCutMP4PlaysItsWholePackets(t *testing.T) {
	for codec, size := range map[string]int64{"alac": 4096, "aac": aac.FrameSize} {
		file := mp4FileOf(t, 44100, 2, 60000, codec, "-movflags", "+faststart")
		whole := readWhole(t, mustOpen(t, openMP4, bytes.NewReader(file)))
		source := mustOpen(t, openMP4, bytes.NewReader(file[:len(file)/2]))
		got := readWhole(t, source)
		if len(got) < len(whole)/4 || len(got) > len(whole)*3/4 {
			t.Errorf("%s: half a file: got %d of %d samples, want about half", codec, len(got), len(whole))
		}
		if codec == "alac" && source.Info().Frames%size != 0 {
			t.Errorf("got %d frames, want a multiple of %d", source.Info().Frames, size)
		}
		checkClose(t, got, whole[:len(got)], -1000)
	}
}

func TestADTSEqualsFFmpeg(t *testing.T) {
	path := encode(t, melody(44100, 2, 50000), 44100, 2, "aac", "-c:a", "aac", "-aac_pns", "0")
	source := mustOpen(t, openADTS, load(t, path))
	whole := readWhole(t, source)
	checkClose(t, whole, byFFmpeg(t, path), aacLimit)
	checkSeeks(t, source, whole, -1000)
}

func mp4FileOf(t testing.TB, rate, channels, frames int, codec string, args ...string) []byte {
	t.Helper()
	args = append([]string{"-c:a", codec}, args...)
	return input(t, encode(t, melody(rate, channels, frames), rate, channels, "m4a", args...))
}

func adtsFile(t testing.TB, frames int) []byte {
	t.Helper()
	return input(t, encode(t, melody(44100, 2, frames), 44100, 2, "aac", "-c:a", "aac"))
}

func BenchmarkAAC(b *testing.B) { benchmark(b, openMP4, mp4FileOf(b, 44100, 2, 441000, "aac")) }

func BenchmarkALAC(b *testing.B) { benchmark(b, openMP4, mp4FileOf(b, 44100, 2, 441000, "alac")) }
