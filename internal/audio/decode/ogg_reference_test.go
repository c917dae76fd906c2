package decode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"waxwing/internal/audio"
	"waxwing/internal/testenv"
)

// some returns the first few of all, or all in the long form of the tests.
func some[T any](few int, all []T) []T {
	if *thorough {
		return all
	}
	return all[:few]
}

// melody returns a signal with tones, noise, silence and attacks, different in every channel.
func melody(rate, channels, frames int) []float32 {
	rng := rand.New(rand.NewPCG(7, uint64(rate*channels)))
	out := make([]float32, frames*channels)
	for i := range frames {
		t := float64(i) / float64(rate)
		for ch := range channels {
			base := 110 * float64(ch+2)
			v := 0.2*math.Sin(2*math.Pi*base*t) + 0.1*math.Sin(2*math.Pi*base*(1+t)*t)
			v += 0.05 * (rng.Float64() - 0.5)
			if i%(rate/3+17*ch) < rate/200 {
				v += 0.4 * (rng.Float64() - 0.5)
			}
			if int(2*t)%5 == 3 {
				v = 0
			}
			out[i*channels+ch] = float32(v)
		}
	}
	return out
}

// encode writes samples to a file with ffmpeg and returns its path.
func encode(t testing.TB, samples []float32, rate, channels int, extension string, args ...string) string {
	t.Helper()
	testenv.NeedsTool(t, "ffmpeg")
	path := filepath.Join(t.TempDir(), "a."+extension)
	full := append([]string{
		"-v", "error", "-y", "-f", "f32le", "-ar", fmt.Sprint(rate), "-ac", fmt.Sprint(channels), "-i", "-",
	}, args...)
	cmd := exec.Command("ffmpeg", append(full, path)...)
	cmd.Stdin = bytes.NewReader(floatBytes(samples))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return path
}

func floatBytes(samples []float32) []byte {
	out := make([]byte, 0, 4*len(samples))
	for _, s := range samples {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(s))
	}
	return out
}

// byFFmpeg decodes a file with ffmpeg.
func byFFmpeg(t testing.TB, path string, args ...string) []float32 {
	t.Helper()
	testenv.NeedsTool(t, "ffmpeg")
	full := append([]string{"-v", "error", "-i", path}, args...)
	return run32(t, exec.Command("ffmpeg", append(full, "-f", "f32le", "-")...))
}

// run32 runs a program that writes float32 samples to its standard output.
func run32(t testing.TB, cmd *exec.Cmd) []float32 {
	t.Helper()
	var log bytes.Buffer
	cmd.Stderr = &log
	raw, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, &log)
	}
	out := make([]float32, len(raw)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return out
}

func load(t testing.TB, path string) *bytes.Reader {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(data)
}

func mustOpen(t testing.TB, open opener, in audio.Input) audio.Source {
	t.Helper()
	source, err := open(in)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := source.Close(); err != nil {
			t.Error(err)
		}
	})
	return source
}

// readFrames reads up to frames frames in portions of different sizes.
func readFrames(t testing.TB, source audio.Source, frames int) []float32 {
	t.Helper()
	channels := source.Info().Channels
	out := make([]float32, frames*channels)
	at := 0
	for portion := 1; at < frames; portion = portion*3%4001 + 1 {
		n, err := source.Read(out[at*channels : min(at+portion, frames)*channels])
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("after %d frames: %v", at, err)
		}
		if n <= 0 {
			t.Fatalf("Read: got %d frames and no error, want frames", n)
		}
		at += n
	}
	return out[:at*channels]
}

// readWhole reads a source to its end and checks that it has the declared length.
func readWhole(t testing.TB, source audio.Source) []float32 {
	t.Helper()
	info := source.Info()
	out := readFrames(t, source, int(info.Frames)+1)
	if got := int64(len(out) / info.Channels); got != info.Frames {
		t.Fatalf("got %d frames, want %d", got, info.Frames)
	}
	if n, err := source.Read(make([]float32, info.Channels)); n != 0 || err != io.EOF {
		t.Fatalf("after the end: got %d frames and %v, want io.EOF", n, err)
	}
	return out
}

// decibels returns the largest difference between two signals, in dB of full scale.
func decibels(t testing.TB, got, want []float32) float64 {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d samples, want %d", len(got), len(want))
	}
	worst := 0.0
	for i := range got {
		worst = max(worst, math.Abs(float64(got[i])-float64(want[i])))
	}
	return 20 * math.Log10(worst)
}

func checkClose(t testing.TB, got, want []float32, limit float64) {
	t.Helper()
	level := decibels(t, got, want)
	t.Logf("%d samples differ by at most %.1f dBFS", len(got), level)
	if !(level <= limit) {
		t.Errorf("got a difference of %.1f dBFS, want at most %.0f", level, limit)
	}
}

// checkSeeks seeks to random positions and to both ends and compares the samples there with whole,
// which was read from the start.
func checkSeeks(t testing.TB, source audio.Source, whole []float32, limit float64) {
	t.Helper()
	info := source.Info()
	rng := rand.New(rand.NewPCG(1, 2))
	worst := math.Inf(-1)
	seeks := 5
	if *thorough {
		seeks = 50
	}
	for i := range seeks + 2 {
		frame := rng.Int64N(info.Frames + 1)
		switch i {
		case seeks:
			frame = 0
		case seeks + 1:
			frame = info.Frames
		}
		if err := source.SeekTo(frame); err != nil {
			t.Fatal(err)
		}
		got := readFrames(t, source, 3000)
		from := int(frame) * info.Channels
		want := whole[from:min(from+3000*info.Channels, len(whole))]
		level := decibels(t, got, want)
		if !(level <= limit) {
			t.Fatalf("after a seek to %d of %d: got a difference of %.1f dBFS, want at most %.0f",
				frame, info.Frames, level, limit)
		}
		worst = max(worst, level)
	}
	t.Logf("after seeks: at most %.1f dBFS", worst)

	if err := source.SeekTo(info.Frames / 2); err != nil {
		t.Fatal(err)
	}
	for _, frame := range []int64{-1, info.Frames + 1, math.MaxInt64, math.MinInt64} {
		if err := source.SeekTo(frame); err == nil {
			t.Fatalf("seek to %d of %d: got no error, want one", frame, info.Frames)
		}
	}
	from := int(info.Frames/2) * info.Channels
	got := readFrames(t, source, 100)
	if level := decibels(t, got, whole[from:from+len(got)]); !(level <= limit) {
		t.Fatalf("samples after a failed seek: got a difference of %.1f dBFS, want at most %.0f", level, limit)
	}
}
