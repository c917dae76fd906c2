package aac

import (
	"testing"
	"time"
)

// BenchmarkDecode reports the decoding speed at 44.1 kHz as a multiple of real time.
func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct {
		name     string
		channels int
		args     []string
	}{
		{"stereo128k", 2, []string{"-b:a", "128k"}},
		{"stereo256k", 2, []string{"-b:a", "256k"}},
		{"surround", 6, nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			config, packets := packetsOf(b, encode(b, signal(44100, c.channels, 441000), 44100, c.channels, c.args...))
			d := NewDecoder(config)
			b.ReportAllocs()
			for b.Loop() {
				for _, p := range packets {
					if _, err := d.Decode(p); err != nil {
						b.Fatal(err)
					}
				}
			}
			music := time.Duration(len(packets)) * FrameSize * time.Second / 44100
			b.ReportMetric(float64(music)*float64(b.N)/float64(b.Elapsed()), "realtime")
		})
	}
}
