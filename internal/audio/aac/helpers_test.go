package aac

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"waxwing/internal/testenv"
)

// signal returns tones, noise, silence and attacks, similar but not equal in all channels.
func signal(rate, channels, frames int) []float32 {
	rng := rand.New(rand.NewPCG(7, uint64(rate*channels)))
	out := make([]float32, 0, frames*channels)
	for i := range frames {
		t := float64(i) / float64(rate)
		common := 0.2*math.Sin(2*math.Pi*330*t) + 0.1*rng.NormFloat64()*math.Exp(-20*math.Mod(t, 0.35))
		for ch := range channels {
			v := common*(1-0.1*float64(ch)) + 0.1*math.Sin(2*math.Pi*(220*float64(ch+1)+100*t)*t) + 0.01*rng.NormFloat64()
			if int(4*t)%7 == 5 {
				v = 0
			}
			out = append(out, float32(v))
		}
	}
	return out
}

// encode writes an ADTS file with ffmpeg and returns its path.
func encode(t testing.TB, samples []float32, rate, channels int, args ...string) string {
	t.Helper()
	testenv.NeedsTool(t, "ffmpeg")
	path := filepath.Join(t.TempDir(), "a.aac")
	full := append([]string{"-v", "error", "-y", "-f", "f32le", "-ar", fmt.Sprint(rate), "-ac",
		fmt.Sprint(channels), "-i", "-", "-c:a", "aac"}, args...)
	cmd := exec.Command("ffmpeg", append(full, path)...)
	var in bytes.Buffer
	if err := binary.Write(&in, binary.LittleEndian, samples); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = &in
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return path
}

// byFFmpeg decodes a file with ffmpeg.
func byFFmpeg(t testing.TB, path string) []float32 {
	t.Helper()
	raw, err := exec.Command("ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float32, len(raw)/4)
	if err := binary.Read(bytes.NewReader(raw), binary.LittleEndian, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// packetsOf returns the configuration and the packets of an ADTS file.
func packetsOf(t testing.TB, path string) (Config, [][]byte) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var packets [][]byte
	first := file
	for len(file) >= 7 {
		header, size := 9-2*int(file[1]&1), int(file[3]&3)<<11|int(file[4])<<3|int(file[5])>>5
		packets = append(packets, file[header:size])
		file = file[size:]
	}
	config, err := ConfigFromADTS(int(first[2]>>6), int(first[2]>>2&15), int(first[2]&1<<2|first[3]>>6), packets[0])
	if err != nil {
		t.Fatal(err)
	}
	return config, packets
}

// decodeAll decodes packets from the beginning.
func decodeAll(t testing.TB, config Config, packets [][]byte) []float32 {
	t.Helper()
	d := NewDecoder(config)
	var out []float32
	for i, p := range packets {
		samples, err := d.Decode(p)
		if err != nil {
			t.Fatalf("packet %d of %d: %v", i, len(packets), err)
		}
		out = append(out, samples...)
	}
	return out
}

// difference returns the root mean square of a−b in dBFS.
func difference(t testing.TB, a, b []float32) float64 {
	t.Helper()
	if len(a) != len(b) {
		t.Fatalf("samples: got %d, want %d", len(a), len(b))
	}
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
	}
	return 10 * math.Log10(sum/float64(len(a)))
}
