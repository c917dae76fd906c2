package tags_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"unicode/utf16"
	"waxwing/internal/media/mediatest"
	"waxwing/internal/tags"
	"waxwing/internal/testenv"
)

// id3Frame is a user text frame; encoding as in the standard.
func id3Frame(version, encoding byte, key, value string) []byte {
	body := []byte{encoding}
	switch encoding {
	case 1:
		for i, s := range []string{key, value} {
			if i > 0 {
				body = append(body, 0, 0)
			}
			body = append(body, 0xff, 0xfe)
			for _, u := range utf16.Encode([]rune(s)) {
				body = binary.LittleEndian.AppendUint16(body, u)
			}
		}
	case 2:
		for i, s := range []string{key, value} {
			if i > 0 {
				body = append(body, 0, 0)
			}
			for _, u := range utf16.Encode([]rune(s)) {
				body = binary.BigEndian.AppendUint16(body, u)
			}
		}
	default:
		body = append(append(append(body, key...), 0), value...)
	}
	return rawFrame(version, "TXXX", body)
}

func rawFrame(version byte, id string, body []byte) []byte {
	if version == 2 {
		n := len(body)
		return append([]byte{id[0], id[1], id[2], byte(n >> 16), byte(n >> 8), byte(n)}, body...)
	}
	head := append([]byte(id), mediatest.SizeBytes(version, len(body))...)
	return append(append(head, 0, 0), body...)
}

func describeGain(g tags.Gain) string {
	text := ""
	for _, v := range []*float64{g.Track, g.TrackPeak, g.Album, g.AlbumPeak} {
		if v == nil {
			text += "- "
		} else {
			text += fmt.Sprintf("%.3g ", *v)
		}
	}
	return text
}

func TestGainOfMP3Tags(t *testing.T) {
	files := sound(t, "mp3-vbr", "mp3-cbr-no-header")
	music, untold := files["mp3-vbr"], files["mp3-cbr-no-header"]
	gain := func(version, encoding byte, key, value string) []byte { return id3Frame(version, encoding, key, value) }
	picture := append(bytes.Repeat([]byte{0xff, 0xe0, 0, 7}, 20000), 0xff)
	for _, c := range []struct {
		name string
		tag  []byte
		want string
	}{
		{"2.3 Latin-1", mediatest.ID3Tag(3, 0, gain(3, 0, "REPLAYGAIN_TRACK_GAIN", "-7.89 dB"),
			gain(3, 0, "replaygain_track_peak", "0.988")), "-7.89 0.988 - - "},
		{"2.3 UTF-16", mediatest.ID3Tag(3, 0, gain(3, 1, "replaygain_album_gain", "+1.5 dB"),
			gain(3, 1, "replaygain_album_peak", "1.1")), "- - 1.5 1.1 "},
		{"2.3 unsynchronised, behind a picture", mediatest.ID3Tag(3, 0x80, rawFrame(3, "APIC", picture),
			gain(3, 1, "replaygain_track_gain", "-2.5 dB")), "-2.5 - - - "},
		{"2.4 UTF-8, behind a picture", mediatest.ID3Tag(4, 0, rawFrame(4, "APIC", picture),
			gain(4, 3, "replaygain_track_gain", "-3dB")), "-3 - - - "},
		{"2.4 UTF-16BE with footer", mediatest.ID3Tag(4, 0x10, gain(4, 2, "replaygain_track_gain", "4 dB")), "4 - - - "},
		{"2.4 with sizes of 2.3", mediatest.ID3Tag(4, 0, append([]byte("APIC\x00\x01\x38\x81\x00\x00"), picture...),
			gain(4, 0, "replaygain_track_gain", "5 dB")), "5 - - - "},
		{"2.2", mediatest.ID3Tag(2, 0, rawFrame(2, "TXX", []byte("\x00replaygain_track_gain\x00-6 dB"))), "-6 - - - "},
		{"second tag", append(mediatest.ID3Tag(3, 0),
			mediatest.ID3Tag(3, 0, gain(3, 0, "replaygain_track_gain", "-1 dB"))...), "-1 - - - "},
		{"2.4 grouped", mediatest.ID3Tag(4, 0, []byte("TXXX\x00\x00\x00\x1d\x00\x40\x07\x03replaygain_track_gain\x00-8 dB")),
			"-8 - - - "},
		{"invalid", mediatest.ID3Tag(3, 0, gain(3, 0, "replaygain_track_gain", "NaN dB"),
			gain(3, 0, "replaygain_track_peak", "loud")), "- - - - "},
		{"none", nil, "- - - - "},
	} {
		if got := describeGain(read(t, append(c.tag, music...)).Gain); got != c.want {
			t.Errorf("%s: gain %q, want %q", c.name, got, c.want)
		}
	}
	for _, file := range [][]byte{music, untold} {
		got := describeGain(read(t, append(bytes.Clone(file), mediatest.APETag()...)).Gain)
		if want := "-4.25 0.75 - - "; got != want {
			t.Errorf("APE: gain %q, want %q", got, want)
		}
	}
}

func TestGainMeasuredByLAME(t *testing.T) {
	testenv.NeedsTool(t, "ffmpeg", "lame")
	wav, mp3 := filepath.Join(t.TempDir(), "a.wav"), filepath.Join(t.TempDir(), "a.mp3")
	for _, cmd := range []*exec.Cmd{
		exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=2:f=500,volume=-6dB", wav),
		exec.Command("lame", "--quiet", "--replaygain-accurate", wav, mp3),
	} {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", cmd.Args, err, out)
		}
	}
	b, err := os.ReadFile(mp3)
	if err != nil {
		t.Fatal(err)
	}
	g := read(t, b).Gain
	if g.Track == nil || g.TrackPeak == nil || g.Album != nil {
		t.Fatalf("gain %q, want a track's gain and peak", describeGain(g))
	}
	tagged := read(t, append(mediatest.ID3Tag(3, 0, id3Frame(3, 0, "replaygain_album_gain", "2 dB")), b...)).Gain
	if got, want := describeGain(tagged), "- - 2 - "; got != want {
		t.Errorf("gain %q, want only that of the tag, %q", got, want)
	}
}
