package tags_test

import (
	"bytes"
	"testing"

	"waxwing/internal/testenv"
)

// fuzz seeds the corpus with the headers of a tagged and an untagged file of each kind.
func fuzz(f *testing.F, names ...string) {
	files := sound(f, names...)
	for _, k := range kinds {
		for _, name := range names {
			if k.name != name {
				continue
			}
			b := files[name]
			f.Add(b[:min(len(b), 3000)])
			if name != "adts" {
				b = tagged(f, b, k.ext, full(), bytes.Repeat([]byte{0xff, 0}, 100))
				f.Add(b[:min(len(b), 3000)])
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { testenv.CheckCost(t, func() { survive(t, b) }) })
}

func FuzzMP3(f *testing.F)  { fuzz(f, "mp3-vbr", "mp3-cbr-no-header", "mp3-mpeg2") }
func FuzzFLAC(f *testing.F) { fuzz(f, "flac") }
func FuzzOgg(f *testing.F)  { fuzz(f, "vorbis", "opus", "ogg-flac") }
func FuzzMP4(f *testing.F)  { fuzz(f, "aac", "alac", "aac-faststart") }
func FuzzWAV(f *testing.F)  { fuzz(f, "wav", "wav-float") }
func FuzzAIFF(f *testing.F) { fuzz(f, "aiff") }
func FuzzRare(f *testing.F) { fuzz(f, "adts", "wma", "wavpack") }

func FuzzID3(f *testing.F) {
	for _, version := range []byte{2, 3, 4} {
		f.Add(id3(version, 0, frame(version, "TIT2", "\x03Title"), frame(version, "APIC", "\x00image/png\x00\x03\x00data")))
		f.Add(id3(version, 0x80, frame(version, "TIT2", "\x01\xff\x00\xfeT\x00")))
	}
	f.Fuzz(func(t *testing.T, b []byte) { testenv.CheckCost(t, func() { survive(t, append(b, mpegFrames(3)...)) }) })
}
