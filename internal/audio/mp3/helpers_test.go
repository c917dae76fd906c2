package mp3

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"waxwing/internal/testenv"
)

// memory is an audio.Input that counts its reads.
type memory struct {
	data  []byte
	reads int
	far   int64 // end of the farthest read
}

func (m *memory) Size() int64 { return int64(len(m.data)) }

func (m *memory) ReadAt(p []byte, off int64) (int, error) {
	m.reads++
	n, err := bytes.NewReader(m.data).ReadAt(p, off)
	m.far = max(m.far, off+int64(n))
	return n, err
}

// signal returns audio that needs every feature of the format: tones, noise, clicks that force
// short blocks, and changing stereo.
func signal(frames, channels, rate int) []float32 {
	rng := rand.New(rand.NewPCG(1, uint64(rate)))
	out := make([]float32, frames*channels)
	envelope := 0.0
	for i := range frames {
		t := float64(i) / float64(rate)
		if i%(rate/7+1) == 0 {
			envelope = 1
		}
		envelope *= math.Exp(-40 / float64(rate))
		tone := 0.2*math.Sin(2*math.Pi*440*t) + 0.1*math.Sin(2*math.Pi*(200+900*t)*t)
		for ch := range channels {
			noise := rng.Float64()*2 - 1
			side := math.Sin(2*math.Pi*0.7*t + float64(ch))
			out[i*channels+ch] = float32(tone*(0.6+0.4*side) + 0.5*envelope*noise + 0.02*noise)
		}
	}
	return out
}

// tones returns audio that an encoder preserves almost exactly, so that an offset of one sample is
// detected.
func tones(frames, channels, rate int) []float32 {
	out := make([]float32, frames*channels)
	for i := range frames {
		for ch := range channels {
			for k := 1; k <= 9; k += 2 {
				out[i*channels+ch] += float32(0.1 * math.Sin(2*math.Pi*float64(311*k+17*ch)*float64(i)/float64(rate)))
			}
		}
	}
	return out
}

// writeWAV writes samples as 16-bit integers, because LAME doubles float samples.
func writeWAV(t testing.TB, samples []float32, channels, rate int) string {
	t.Helper()
	var b bytes.Buffer
	put := func(v any) { _ = binary.Write(&b, binary.LittleEndian, v) }
	integers := make([]int16, len(samples))
	for i, v := range samples {
		integers[i] = int16(math.Round(float64(max(-1, min(v, 1))) * 32767))
	}
	b.WriteString("RIFF")
	put(uint32(36 + 2*len(samples)))
	b.WriteString("WAVEfmt ")
	put(uint32(16))
	put([]uint16{1, uint16(channels)})
	put([]uint32{uint32(rate), uint32(rate * channels * 2)})
	put([]uint16{uint16(channels * 2), 16})
	b.WriteString("data")
	put(uint32(2 * len(samples)))
	put(integers)
	name := filepath.Join(t.TempDir(), "in.wav")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// run runs a program with in as its standard input and returns its standard output.
func run(t testing.TB, in []byte, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	var out, problem bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &problem
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, problem.String())
	}
	return out.Bytes()
}

// lame encodes seconds of the signal with LAME.
func lame(t testing.TB, seconds float64, channels, rate int, args ...string) []byte {
	t.Helper()
	return lameSamples(t, signal(int(seconds*float64(rate)), channels, rate), channels, rate, args...)
}

func lameSamples(t testing.TB, samples []float32, channels, rate int, args ...string) []byte {
	t.Helper()
	testenv.NeedsTool(t, "lame", "ffmpeg")
	wav := writeWAV(t, samples, channels, rate)
	mp3 := filepath.Join(t.TempDir(), "out.mp3")
	run(t, nil, "lame", append(append([]string{"--quiet"}, args...), wav, mp3)...)
	data, err := os.ReadFile(mp3)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// ffmpeg decodes a file with the reference decoder.
func ffmpeg(t testing.TB, mp3 []byte) []float32 {
	t.Helper()
	name := filepath.Join(t.TempDir(), "in.mp3")
	if err := os.WriteFile(name, mp3, 0o600); err != nil {
		t.Fatal(err)
	}
	return floats(run(t, nil, "ffmpeg", "-v", "error", "-i", name, "-f", "f32le", "-c:a", "pcm_f32le", "-"))
}

func floats(b []byte) []float32 {
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

func open(t testing.TB, data []byte) *Decoder {
	t.Helper()
	d, err := Open(&memory{data: data})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// readAll reads to the end in portions of different sizes.
func readAll(t testing.TB, d *Decoder) []float32 {
	t.Helper()
	var out []float32
	buf := make([]float32, 1000*d.info.Channels)
	for size := 1; ; size = size%900 + 7 {
		n, err := d.Read(buf[:size*d.info.Channels])
		if err == io.EOF {
			if n != 0 {
				t.Fatalf("frames with io.EOF: got %d, want 0", n)
			}
			return out
		}
		if err != nil || n <= 0 {
			t.Fatalf("Read: got %d, error %v; want frames", n, err)
		}
		out = append(out, buf[:n*d.info.Channels]...)
	}
}

// difference returns the rms and the peak of a-b in dBFS.
func difference(a, b []float32) (rms, peak float64) {
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
		peak = max(peak, math.Abs(d))
	}
	return 10 * math.Log10(sum/float64(len(a))), 20 * math.Log10(peak)
}
