package decode

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"waxwing/internal/audio"
	"waxwing/internal/testenv"
)

// checkLossless compares all samples of a file, and those after seeks, with ffmpeg's.
func checkLossless(t *testing.T, path, codec string, rate, channels int, args ...string) {
	t.Helper()
	want := byFFmpeg(t, path, args...)
	source := mustOpen(t, Options{NoExternal: true}.Open, load(t, path))
	info := source.Info()
	if info.Codec != codec || info.Rate != rate || info.Channels != channels || info.Frames != int64(len(want)/channels) {
		t.Fatalf("info: got %+v, want %s, %d Hz, %d channels, %d frames", info, codec, rate, channels, len(want)/channels)
	}
	checkSame(t, readWhole(t, source), want)
	checkSeeksSame(t, source, want)
}

func checkSame(t testing.TB, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d samples, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("sample %d of %d: got %v, want %v", i, len(got), got[i], want[i])
		}
	}
}

// checkSeeksSame seeks to 50 positions and compares the samples there with whole.
func checkSeeksSame(t testing.TB, source audio.Source, whole []float32) {
	t.Helper()
	channels := source.Info().Channels
	frames := len(whole) / channels
	rng := rand.New(rand.NewPCG(1, uint64(frames)))
	targets := []int{0, frames, max(frames-1, 0), min(1, frames)}
	for len(targets) < 50 {
		targets = append(targets, rng.IntN(frames+1))
	}
	buffer := make([]float32, 500*channels)
	for _, target := range targets {
		if err := source.SeekTo(int64(target)); err != nil {
			t.Fatalf("SeekTo(%d) of %d: %v", target, frames, err)
		}
		n, err := source.Read(buffer)
		if target == frames {
			if err == nil {
				t.Fatalf("Read at the end: got %d frames, want an error", n)
			}
			continue
		}
		if err != nil {
			t.Fatalf("Read at %d of %d: %v", target, frames, err)
		}
		checkSame(t, buffer[:n*channels], whole[target*channels:(target+n)*channels])
	}
}

func TestLosslessEqualsFFmpeg(t *testing.T) {
	type form struct {
		name, codec, extension string
		args                   []string
		seconds                float64
	}
	var forms []form
	pcm := func(extension string, codecs ...string) {
		for _, c := range codecs {
			forms = append(forms, form{extension + "-" + c, "pcm", extension, []string{"-c:a", "pcm_" + c}, 0.1})
		}
	}
	pcm("wav", "u8", "s16le", "s24le", "s32le", "f32le", "f64le", "alaw", "mulaw")
	pcm("aiff", "s8", "s16be", "s24be", "s32be", "s16le", "f32be", "f64be", "alaw", "mulaw")
	forms = append(forms,
		form{"flac-16", "flac", "flac", []string{"-c:a", "flac", "-sample_fmt", "s16", "-frame_size", "1152"}, 0.15},
		form{"flac-24", "flac", "flac", []string{
			"-c:a", "flac", "-sample_fmt", "s32", "-bits_per_raw_sample", "24", "-frame_size", "1152",
		}, 0.15},
		form{"rf64", "pcm", "wav", []string{"-c:a", "pcm_s16le", "-rf64", "always"}, 0.1},
	)
	rates := []int{8000, 11025, 16000, 22050, 32000, 44100, 48000, 88200, 96000, 176400, 192000}
	for k, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for i, rate := range rates {
				if testing.Short() && i != k%len(rates) {
					continue
				}
				if f.codec == "pcm" && (i+k)%6 != 0 && !*thorough {
					continue // only a header field; together the forms have every rate and layout
				}
				if f.codec == "flac" && (i+k)%2 != 0 && !*thorough {
					continue // both depths together have every rate and layout
				}
				layout := []string{"mono", "stereo", "5.1", "7.1", "3.0", "quad", "5.0", "6.1"}[i%8]
				channels := []int{1, 2, 6, 8, 3, 4, 5, 7}[i%8]
				t.Run(fmt.Sprintf("%dHz-%dch", rate, channels), func(t *testing.T) {
					frames := int(f.seconds*float64(rate)) + 1
					mapping := "channelmap=map=" + "0|1|2|3|4|5|6|7"[:2*channels-1] + ":channel_layout=" + layout
					args := append([]string{"-af", mapping}, f.args...)
					path := encode(t, melody(rate, channels, frames), rate, channels, f.extension, args...)
					checkLossless(t, path, f.codec, rate, channels)
				})
			}
		})
	}
}

// The settings of the reference encoder cover the whole format: fixed and linear predictors, escape
// codes, variable blocks, all depths.
func TestFLACOfReferenceEncoderEqualsFFmpeg(t *testing.T) {
	testenv.SkipIfShort(t)
	testenv.NeedsTool(t, "flac", "ffmpeg")
	cases := []struct {
		depth, channels int
		args            string
	}{
		{16, 2, "-0"}, {16, 2, "-8"}, {16, 2, "-8 -e -p"}, {16, 2, "-b 192"}, {16, 2, "-b 16384 --lax"},
		{16, 2, "-b 16 -l 4 --lax"}, {16, 2, "-l 32 --lax -b 4608"}, {16, 2, "-l 0"}, {16, 2, "-r 0,15 --lax"},
		{16, 2, "--no-seektable"}, {16, 2, "-m"}, {16, 2, "-M"}, {8, 1, "-8"}, {8, 2, "-0"}, {24, 2, "-8"},
		{24, 6, "-5"}, {24, 1, "--lax -l 32 -e"}, {16, 8, "-5"}, {16, 7, "-5"}, {16, 1, "-5 --padding 100000"},
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%dbit-%dch%s", c.depth, c.channels, strings.ReplaceAll(c.args, " ", "")), func(t *testing.T) {
			t.Parallel()
			wav := filepath.Join(t.TempDir(), "a.wav")
			form := map[int]string{8: "pcm_u8", 16: "pcm_s16le", 24: "pcm_s24le"}[c.depth]
			path := encode(t, melody(44100, c.channels, 20000), 44100, c.channels, "wav", "-c:a", form)
			if err := exec.Command("cp", path, wav).Run(); err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), "a.flac")
			args := append(strings.Fields(c.args), "-s", "-o", out, wav)
			if text, err := exec.Command("flac", args...).CombinedOutput(); err != nil {
				t.Fatalf("flac %v: %v\n%s", args, err, text)
			}
			checkLossless(t, out, "flac", 44100, c.channels)
		})
	}
}

func TestFLACInOggEqualsFFmpeg(t *testing.T) {
	testenv.NeedsTool(t, "flac")
	checkLossless(t, encode(t, melody(44100, 2, 100000), 44100, 2, "ogg", "-c:a", "flac"), "flac", 44100, 2)
	wav := encode(t, melody(48000, 1, 100000), 48000, 1, "wav")
	out := filepath.Join(t.TempDir(), "a.oga")
	if text, err := exec.Command("flac", "-s", "--ogg", "-o", out, wav).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	checkLossless(t, out, "flac", 48000, 1)
}

// Older versions of ffmpeg cannot read 32-bit FLAC, so it is compared with the source. The
// difference of two channels has 33 bits there.
func TestFLACOf32BitsEqualsSource(t *testing.T) {
	testenv.NeedsTool(t, "flac")
	for _, channels := range []int{1, 2} {
		wav := encode(t, melody(44100, channels, 30000), 44100, channels, "wav", "-c:a", "pcm_s32le")
		out := filepath.Join(t.TempDir(), "a.flac")
		if text, err := exec.Command("flac", "-s", "-f", "-o", out, wav).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		want := byFFmpeg(t, wav)
		source := mustOpen(t, Open, load(t, out))
		checkSame(t, readWhole(t, source), want)
		checkSeeksSame(t, source, want)
	}
}

func TestWAVWithoutSizesPlaysToTheEnd(t *testing.T) {
	path := encode(t, melody(44100, 2, 5000), 44100, 2, "wav", "-c:a", "pcm_s16le", "-bitexact")
	want := byFFmpeg(t, path)
	whole := load(t, path)
	file := make([]byte, whole.Size())
	if _, err := whole.ReadAt(file, 0); err != nil {
		t.Fatal(err)
	}
	for _, sizes := range [][2]string{
		{"\x00\x00\x00\x00", "\x00\x00\x00\x00"}, {"\xff\xff\xff\xff", "\xff\xff\xff\xff"},
		{"\x24\x00\x00\x00", "\x00\x00\x00\x00"}, {"\x24\xff\xff\x7f", "\x00\xff\xff\x7f"},
	} {
		streamed := bytes.Clone(file)
		copy(streamed[4:], sizes[0])
		copy(streamed[40:], sizes[1])
		checkSame(t, readWhole(t, mustOpen(t, Open, bytes.NewReader(streamed))), want)
	}
}
