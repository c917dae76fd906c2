package flac_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"waxwing/internal/audio/flac"
	"waxwing/internal/testenv"
)

// BenchmarkDecode reports the decoding speed of CD audio as a multiple of real time, for the two
// most common settings.
func BenchmarkDecode(b *testing.B) {
	testenv.NeedsTool(b, "ffmpeg", "flac")
	wav := filepath.Join(b.TempDir(), "a.wav")
	noise := "anoisesrc=c=pink:a=0.3:d=30:r=44100:s=1[a];anoisesrc=c=brown:a=0.3:d=30:r=44100:s=2[b];" +
		"[a][b]join=inputs=2:channel_layout=stereo"
	args := []string{"-v", "error", "-f", "lavfi", "-i", noise, "-c:a", "pcm_s16le", wav}
	if out, err := exec.Command("ffmpeg", args...).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for _, level := range []string{"-5", "-8"} {
		b.Run(level, func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "a.flac")
			if out, err := exec.Command("flac", "-s", level, "-o", file, wav).CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
			data, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			buf := make([]float32, 2*4096)
			var frames int
			for b.Loop() {
				d, err := flac.Open(bytes.NewReader(data), int64(len(data)))
				if err != nil {
					b.Fatal(err)
				}
				for {
					n, err := d.Read(buf)
					if err == io.EOF {
						break
					} else if err != nil {
						b.Fatal(err)
					}
					frames += n
				}
			}
			b.ReportMetric(float64(frames)/44100/b.Elapsed().Seconds(), "x-realtime")
		})
	}
}
