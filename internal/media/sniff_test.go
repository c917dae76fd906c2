package media_test

import (
	"bytes"
	"testing"

	"waxwing/internal/media"
	"waxwing/internal/media/window"
	"waxwing/internal/testenv"
)

// id3Tag returns an ID3v2.4 tag that contains n zero bytes.
func id3Tag(n int) []byte {
	head := []byte{'I', 'D', '3', 4, 0, 0, byte(n >> 21), byte(n >> 14 & 127), byte(n >> 7 & 127), byte(n & 127)}
	return append(head, make([]byte, n)...)
}

func mpegFrames(n int) []byte { return frames("\xff\xfb\x90\x00", 417, n) }

// adtsFrames returns frames of 64 bytes at 44.1 kHz.
func adtsFrames(n int) []byte { return frames("\xff\xf1\x50\x80\x08\x1f\xfc", 64, n) }

func frames(head string, size, n int) []byte {
	frame := make([]byte, size)
	copy(frame, head)
	return bytes.Repeat(frame, n)
}

func TestSniff(t *testing.T) {
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	box := func(kind string) []byte { return []byte("\x00\x00\x00\x10" + kind + "12345678") }
	for _, c := range []struct {
		name  string
		data  []byte
		kind  media.Kind
		start int64
	}{
		{"empty", nil, media.Unknown, 0},
		{"text", []byte("no music at all"), media.Unknown, 0},
		{"ones", bytes.Repeat([]byte{0xff}, 300_000), media.Unknown, 0},
		{"flac", []byte("fLaC"), media.FLAC, 0},
		{"header of a WAV in another format", join([]byte("tBaK\x00\x00\x00"), []byte("RIFF\x24\x00\x10\x00WAVEfmt "),
			make([]byte, 5000)), media.Unknown, 0},
		{"WAV behind junk", join(make([]byte, 9000), []byte("RIFF\x24\x10\x00\x00WAVEfmt "), make([]byte, 5000)),
			media.WAV, 9000},
		{"flac behind ID3", join(id3Tag(5000), []byte("fLaC")), media.FLAC, 5010},
		{"flac behind two tags", join(id3Tag(10), id3Tag(300), []byte("fLaC")), media.FLAC, 330},
		{"ogg behind ID3", join(id3Tag(20), []byte("OggS")), media.Ogg, 30},
		{"mp4", box("ftyp"), media.MP4, 0},
		{"mp4 with free", box("free"), media.MP4, 0},
		{"mp4 with skip", box("skip"), media.MP4, 0},
		{"mp4 with wide", box("wide"), media.MP4, 0},
		{"mp4 behind ID3", join(id3Tag(20), box("ftyp")), media.MP4, 30},
		{"RIFX", []byte("RIFX\x00\x00\x00\x00WAVE"), media.WAV, 0},
		{"BW64", []byte("BW64\xff\xff\xff\xffWAVE"), media.WAV, 0},
		{"AVI", []byte("RIFF\x00\x00\x00\x00AVI "), media.Unknown, 0},
		{"AIFC", []byte("FORM\x00\x00\x00\x00AIFC"), media.AIFF, 0},
		{"mpeg", mpegFrames(3), media.MPEG, 0},
		{"one frame", mpegFrames(1), media.MPEG, 0},
		{"one frame and ID3v1", join(mpegFrames(1), []byte("TAG"), make([]byte, 125)), media.MPEG, 0},
		{"one frame behind junk", join(make([]byte, 100), mpegFrames(1)), media.Unknown, 0},
		{"mpeg behind junk", join(make([]byte, 200_000), mpegFrames(3)), media.MPEG, 200_000},
		{"mpeg behind too much junk", join(make([]byte, 300_000), mpegFrames(3)), media.Unknown, 0},
		{"mpeg behind ID3 and zeros", join(id3Tag(20), make([]byte, 7), mpegFrames(3)), media.MPEG, 37},
		{"mpeg in a tag of wrong size", join(id3Tag(1 << 20)[:10], mpegFrames(3)), media.MPEG, 10},
		{"adts", adtsFrames(3), media.ADTS, 0},
		{"adts behind ID3", join(id3Tag(100), adtsFrames(3)), media.ADTS, 110},
	} {
		got, err := media.Sniff(window.New(bytes.NewReader(c.data), int64(len(c.data))))
		if err != nil || got.Kind != c.kind || got.Kind != media.Unknown && got.Start != c.start {
			t.Errorf("%s: kind %d at %d (%v), want %d at %d", c.name, got.Kind, got.Start, err, c.kind, c.start)
		}
	}
}

func FuzzSniff(f *testing.F) {
	f.Add([]byte("OggS"))
	f.Add(append(id3Tag(20), mpegFrames(3)...))
	f.Add(adtsFrames(3))
	f.Fuzz(func(t *testing.T, b []byte) {
		testenv.CheckCost(t, func() {
			got, err := media.Sniff(window.New(bytes.NewReader(b), int64(len(b))))
			if err != nil || got.Start < 0 || got.Start > int64(len(b)) || got.Kind != media.Unknown &&
				got.Start == int64(len(b)) {
				t.Fatalf("got %+v, %v for %d bytes", got, err, len(b))
			}
		})
	})
}
