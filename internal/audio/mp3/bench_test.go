package mp3

import (
	"io"
	"testing"
	"time"
)

// BenchmarkDecode reports the decoding speed of 44.1 kHz stereo as a multiple of real time.
func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct {
		name string
		args []string
	}{
		{"128k", []string{"-b", "128"}},
		{"192k", []string{"-b", "192"}},
		{"320k", []string{"-b", "320"}},
		{"V0", []string{"-V", "0"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := open(b, lame(b, 20, 2, 44100, c.args...))
			buf := make([]float32, 4096)
			b.ReportAllocs()
			for b.Loop() {
				if err := d.SeekTo(0); err != nil {
					b.Fatal(err)
				}
				for {
					if _, err := d.Read(buf); err == io.EOF {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
			music := time.Duration(d.info.Frames) * time.Second / 44100
			b.ReportMetric(float64(music)*float64(b.N)/float64(b.Elapsed()), "realtime")
		})
	}
}
