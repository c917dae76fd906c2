package flac

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"waxwing/internal/testenv"
)

// encodeFile encodes samples in pieces of random length and returns the file.
func encodeFile(t testing.TB, rng *rand.Rand, rate, depth int, samples [][]int64) []byte {
	t.Helper()
	var out bytes.Buffer
	e, err := NewEncoder(&out, rate, len(samples), depth)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(samples[0]); {
		n := min(1+rng.IntN(9000), len(samples[0])-at)
		piece := make([]int32, 0, n*len(samples))
		for i := at; i < at+n; i++ {
			for c := range samples {
				piece = append(piece, int32(samples[c][i]))
			}
		}
		if err := e.Write(piece); err != nil {
			t.Fatal(err)
		}
		at += n
	}
	header, err := e.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return append(header, out.Bytes()[len(header):]...)
}

// signals are samples that need every kind of subframe and code.
func signals(rng *rand.Rand, channels, depth, frames int) map[string][][]int64 {
	full := int64(1)<<(depth-1) - 1
	fill := func(sample func(c, i int) int64) [][]int64 {
		out := make([][]int64, channels)
		for c := range out {
			for i := range frames {
				out[c] = append(out[c], sample(c, i))
			}
		}
		return out
	}
	return map[string][][]int64{
		"music":    music(rng, channels, depth, frames),
		"noise":    fill(func(int, int) int64 { return rng.Int64N(2*full+2) - full - 1 }),
		"silence":  fill(func(int, int) int64 { return 0 }),
		"constant": fill(func(c, _ int) int64 { return int64(c) - full - 1 }),
		"square":   fill(func(c, i int) int64 { return []int64{full, -full - 1}[(i+c)%2] }),
		"pulses": fill(func(_, i int) int64 {
			if i%997 == 5 {
				return -full - 1
			}
			return 0
		}),
		"sine": fill(func(c, i int) int64 {
			return int64(float64(full) * 0.9 * math.Sin(float64(i)*0.03*float64(c+1)))
		}),
		"few bits": fill(func(c, i int) int64 { return (int64(i)*7919 + int64(c)) % 200 << (depth - 9) }),
		"opposite": fill(func(c, i int) int64 { return int64(float64(full)*math.Sin(float64(i)*0.01)) * int64(1-2*(c%2)) }),
	}
}

func TestEncoderIsLossless(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, depth := range []int{16, 24} {
		for _, channels := range []int{1, 2, 6, 8} {
			lengths := []int{1, 2, 5, 33, 4095, 4096, 4100, 9001}
			if channels > 2 && !testenv.Long() {
				lengths = []int{1, 33, 4096, 4100}
			}
			for _, frames := range lengths {
				for name, samples := range signals(rng, channels, depth, frames) {
					t.Run(fmt.Sprintf("%s, %d bits, %d channels, %d frames", name, depth, channels, frames), func(t *testing.T) {
						d := open(t, encodeFile(t, rng, 44100, depth, samples))
						if d.Frames != int64(frames) || d.Depth != depth || d.Channels != channels || d.Rate != 44100 {
							t.Fatalf("got %+v, want %d frames", d.StreamInfo, frames)
						}
						same(t, read(t, d, frames), floats(samples, depth))
					})
				}
			}
		}
	}
}

// TestReferenceDecoderAcceptsEncodedFiles also checks the checksum in the header, which our decoder
// ignores, and that the files are about as small as those of the reference encoder.
func TestReferenceDecoderAcceptsEncodedFiles(t *testing.T) {
	testenv.NeedsTool(t, "flac")
	rng := rand.New(rand.NewPCG(3, 4))
	for _, rate := range []int{8000, 44100, 96000, 352800, 12345} {
		for _, depth := range []int{16, 24} {
			dir := t.TempDir()
			var files []string
			for name, samples := range signals(rng, 1+rng.IntN(8), depth, testenv.Size(9000, 20000, 20000)) {
				files = append(files, filepath.Join(dir, name+".flac"))
				if err := os.WriteFile(files[len(files)-1], encodeFile(t, rng, rate, depth, samples), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if out, err := exec.CommandContext(t.Context(), "flac", append([]string{"-t", "-s"}, files...)...).
				CombinedOutput(); err != nil {
				t.Errorf("flac -t at %d Hz, %d bits: %v\n%s", rate, depth, err, out)
			}
		}
	}
}

func TestEncodedFilesAreAboutAsSmallAsTheReference(t *testing.T) {
	testenv.NeedsTool(t, "flac", "ffmpeg")
	dir := t.TempDir()
	raw, reference := filepath.Join(dir, "a.raw"), filepath.Join(dir, "a.flac")
	noise := "anoisesrc=c=pink:a=0.3:d=5:r=44100:s=1[a];sine=f=440:d=5,volume=3[b];" +
		"[a][b]amix=inputs=2,aeval=val(0)|val(0)*0.7"
	for _, args := range [][]string{
		{"ffmpeg", "-v", "error", "-f", "lavfi", "-i", noise, "-f", "s16le", raw},
		{"flac", "-s", "-5", "--force-raw-format", "--endian=little", "--sign=signed", "--channels=2", "--bps=16",
			"--sample-rate=44100", "-o", reference, raw},
	} {
		if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	pcm, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	samples := make([][]int64, 2)
	for i := 0; i+1 < len(pcm); i += 2 {
		samples[i/2%2] = append(samples[i/2%2], int64(int16(uint16(pcm[i])|uint16(pcm[i+1])<<8)))
	}
	want, err := os.Stat(reference)
	if err != nil {
		t.Fatal(err)
	}
	got := len(encodeFile(t, rand.New(rand.NewPCG(5, 6)), 44100, 16, samples))
	const metadata = 9000 // seek table, tags and padding of the reference
	if limit := (int(want.Size()) - metadata) * 103 / 100; got > limit {
		t.Errorf("got %d bytes, want at most %d: 3%% more than flac -5", got, limit)
	}
	t.Logf("%d bytes, flac -5: %d", got, want.Size())
}

func TestEncoderRejectsWhatTheFormatLacks(t *testing.T) {
	for _, c := range [][3]int{{0, 2, 16}, {1 << 20, 2, 16}, {44100, 0, 16}, {44100, 9, 16}, {44100, 2, 20}} {
		if _, err := NewEncoder(&bytes.Buffer{}, c[0], c[1], c[2]); err == nil {
			t.Errorf("%v: got no error, want one", c)
		}
	}
	e, err := NewEncoder(&bytes.Buffer{}, 44100, 2, 16)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Finish(); err == nil {
		t.Error("no audio: got no error, want one")
	}
}

func BenchmarkEncode(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	samples := make([]int32, 2*44100*10)
	var v int32
	for i := range samples {
		v += int32(rng.IntN(2001) - 1000)
		v = min(max(v, -32768), 32767)
		samples[i] = v
	}
	for b.Loop() {
		var out bytes.Buffer
		e, err := NewEncoder(&out, 44100, 2, 16)
		if err != nil {
			b.Fatal(err)
		}
		if err := e.Write(samples); err != nil {
			b.Fatal(err)
		}
		if _, err := e.Finish(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(10*b.N)/b.Elapsed().Seconds(), "x-realtime")
}
