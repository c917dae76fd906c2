package tags_test

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"testing"
)

// mpegFrames are silent frames of 128 kbit/s at 44.1 kHz.
func mpegFrames(n int) []byte {
	frame := make([]byte, 417)
	copy(frame, "\xff\xfb\x90\x00")
	return bytes.Repeat(frame, n)
}

func safe(n int) []byte {
	return []byte{byte(n >> 21 & 127), byte(n >> 14 & 127), byte(n >> 7 & 127), byte(n & 127)}
}

func frame(version byte, id, content string) []byte {
	b := []byte(id)
	switch version {
	case 2:
		b = append([]byte(map[string]string{"TIT2": "TT2", "TPE1": "TP1", "TALB": "TAL", "TCON": "TCO", "APIC": "PIC",
			"TRCK": "TRK"}[id]), byte(len(content)>>16), byte(len(content)>>8), byte(len(content)))
	case 3:
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(content))), 0, 0)
	case 4:
		b = append(append(b, safe(len(content))...), 0, 0)
	}
	return append(b, content...)
}

// id3 returns a tag; with flag 0x80 it is unsynchronised.
func id3(version, flags byte, frames ...[]byte) []byte {
	body := append(bytes.Join(frames, nil), make([]byte, 20)...)
	if flags&0x80 != 0 {
		body = bytes.ReplaceAll(body, []byte{0xff}, []byte{0xff, 0})
	}
	return append(append([]byte{'I', 'D', '3', version, 0, flags}, safe(len(body))...), body...)
}

func TestID3Versions(t *testing.T) {
	pic := "\xff\xd8\xff\xff\x00\xe0 image"
	for _, version := range []byte{2, 3, 4} {
		for _, flags := range []byte{0, 0x80} {
			mime := "image/jpeg\x00"
			if version == 2 {
				mime = "JPG"
			}
			tag := id3(version, flags,
				frame(version, "TIT2", "\x01\xff\xfeT\x00\xef\x00"),
				frame(version, "TPE1", "\x00Bj\xf6rk"),
				frame(version, "TALB", "\x02\x00H\x20\x1d"),
				frame(version, "TCON", "\x00(8)(17)"),
				frame(version, "TRCK", "\x007/9"),
				frame(version, "APIC", "\x00"+mime+"\x04back\x00"+"no"),
				frame(version, "APIC", "\x00"+mime+"\x03front\x00"+pic))
			if version == 4 && flags != 0 {
				continue // version 2.4 unsynchronises each frame separately
			}
			b := append(tag, mpegFrames(10)...)
			got := read(t, b)
			if got.Title != "Tï" || got.Artist != "Björk" || got.Album != "H”" || got.Track != 7 || got.TrackTotal != 9 {
				t.Errorf("2.%d flags %x: %+v", version, flags, got)
			}
			if want := []string{"Jazz", "Rock"}; !reflect.DeepEqual(got.Genres, want) {
				t.Errorf("2.%d: genres %v", version, got.Genres)
			}
			if p, err := got.Picture.Read(bytes.NewReader(b), int64(len(b))); err != nil || string(p) != pic {
				t.Errorf("2.%d flags %x: picture %q %v", version, flags, p, err)
			}
			if got.Bitrate != 128 || got.Duration.Milliseconds() != 261 {
				t.Errorf("2.%d: %d kbit/s, %v", version, got.Bitrate, got.Duration)
			}
		}
	}
}

func TestID3v24FrameFlags(t *testing.T) {
	// unsynchronised, with its length in front
	unsync := []byte("TIT2\x00\x00\x00\x08\x00\x03\x00\x00\x00\x05\x00\xff\x00a")
	unsync[7] = byte(len(unsync) - 10)
	// iTunes' plain size: 201 is not 201 synchsafe
	plainSize := append([]byte("TALB\x00\x00\x00\xc9\x00\x00\x03"), bytes.Repeat([]byte("x"), 200)...)
	got := read(t, append(id3(4, 0, unsync, plainSize, frame(4, "TPE1", "\x03A\x00B")), mpegFrames(4)...))
	if got.Title != "ÿa" || len(got.Album) != 200 || !reflect.DeepEqual(got.Artists, []string{"A", "B"}) {
		t.Errorf("%+v", got)
	}
}

func TestID3v1OnlyFillsGaps(t *testing.T) {
	v1 := make([]byte, 128)
	copy(v1, "TAG")
	copy(v1[3:], "Old Title")
	copy(v1[33:], "Old Artist")
	copy(v1[93:], "1987")
	v1[126], v1[127] = 5, 17
	b := append(append(id3(3, 0, frame(3, "TIT2", "\x00New Title")), mpegFrames(10)...), v1...)
	got := read(t, b)
	if got.Title != "New Title" || got.Artist != "Old Artist" || got.Year != 1987 || got.Track != 5 ||
		got.Genres[0] != "Rock" {
		t.Errorf("%+v", got)
	}
	if untagged := read(t, mpegFrames(10)); untagged.AudioID != got.AudioID {
		t.Error("AudioID changed with the tags")
	}
	if got := read(t, append(mpegFrames(10), v1...)); got.Title != "Old Title" {
		t.Errorf("ID3v1 alone: %+v", got)
	}
}

func TestDifferentAudioHasDifferentAudioID(t *testing.T) {
	a, b := mpegFrames(40), mpegFrames(40)
	copy(b[len(b)/2:], "something else")
	if read(t, a).AudioID == read(t, b).AudioID {
		t.Error("different audio of equal length has the same AudioID")
	}
	if read(t, a).AudioID == read(t, mpegFrames(41)).AudioID {
		t.Error("audio of different lengths has the same AudioID")
	}
}
