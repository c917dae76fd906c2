package mp3

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"
	"unicode/utf16"

	"waxwing/internal/audio"
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
	head := append([]byte(id), sizeBytes(version, len(body))...)
	return append(append(head, 0, 0), body...)
}

func sizeBytes(version byte, n int) []byte {
	if version == 3 {
		return binary.BigEndian.AppendUint32(nil, uint32(n))
	}
	return []byte{byte(n >> 21 & 0x7f), byte(n >> 14 & 0x7f), byte(n >> 7 & 0x7f), byte(n & 0x7f)}
}

func id3Tag(version, flags byte, frames ...[]byte) []byte {
	body := append(bytes.Join(frames, nil), make([]byte, 40)...)
	if flags&0x80 != 0 && version < 4 {
		body = bytes.ReplaceAll(body, []byte{0xff}, []byte{0xff, 0})
	}
	tag := append([]byte{'I', 'D', '3', version, 0, flags}, sizeBytes(4, len(body))...)
	tag = append(tag, body...)
	if flags&0x10 != 0 {
		footer := bytes.Clone(tag[:10])
		copy(footer, "3DI")
		tag = append(tag, footer...)
	}
	return tag
}

// apeTag has a large picture before the gain.
func apeTag() []byte {
	item := func(key string, value []byte) []byte {
		b := binary.LittleEndian.AppendUint32(nil, uint32(len(value)))
		b = append(append(append(b, 0, 0, 0, 0), key...), 0)
		return append(b, value...)
	}
	items := bytes.Join([][]byte{
		item("Cover Art (Front)", make([]byte, 70000)),
		item("replaygain_track_gain", []byte("-4.25 dB")),
		item("REPLAYGAIN_TRACK_PEAK", []byte("0.75")),
	}, nil)
	frame := func(flags uint32) []byte {
		b := append([]byte("APETAGEX"), 0xd0, 7, 0, 0)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(items)+32))
		b = binary.LittleEndian.AppendUint32(b, 3)
		b = binary.LittleEndian.AppendUint32(b, flags)
		return append(b, make([]byte, 8)...)
	}
	return bytes.Join([][]byte{frame(0xa0000000), items, frame(0x80000000)}, nil)
}

func describe(l audio.Loudness) string {
	text := ""
	for _, v := range []*float64{l.TrackGain, l.TrackPeak, l.AlbumGain, l.AlbumPeak} {
		if v == nil {
			text += "- "
		} else {
			text += fmt.Sprintf("%.3g ", *v)
		}
	}
	return text
}

func TestLoudness(t *testing.T) {
	music := lame(t, 0.3, 2, 44100, "-b", "128", "--noreplaygain")
	untold := lame(t, 0.3, 2, 44100, "-t", "-b", "128")
	measured := lame(t, 2, 2, 44100, "-b", "128", "--replaygain-accurate")
	picture := append(bytes.Repeat([]byte{0xff, 0xe0, 0, 7}, 20000), 0xff)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"2.3 Latin-1":                          {append(id3Tag(3, 0, id3Frame(3, 0, "REPLAYGAIN_TRACK_GAIN", "-7.89 dB"), id3Frame(3, 0, "replaygain_track_peak", "0.988")), music...), "-7.89 0.988 - - "},
		"2.3 UTF-16":                           {append(id3Tag(3, 0, id3Frame(3, 1, "replaygain_album_gain", "+1.5 dB"), id3Frame(3, 1, "replaygain_album_peak", "1.1")), music...), "- - 1.5 1.1 "},
		"2.3 unsynchronised, behind a picture": {append(id3Tag(3, 0x80, rawFrame(3, "APIC", picture), id3Frame(3, 1, "replaygain_track_gain", "-2.5 dB")), music...), "-2.5 - - - "},
		"2.4 UTF-8, behind a picture":          {append(id3Tag(4, 0, rawFrame(4, "APIC", picture), id3Frame(4, 3, "replaygain_track_gain", "-3dB")), music...), "-3 - - - "},
		"2.4 UTF-16BE with footer":             {append(id3Tag(4, 0x10, id3Frame(4, 2, "replaygain_track_gain", "4 dB")), music...), "4 - - - "},
		"2.4 with sizes of 2.3":                {append(id3Tag(4, 0, append(append([]byte("APIC"), 0, 1, 0x38, 0x81, 0, 0), picture...), id3Frame(4, 0, "replaygain_track_gain", "5 dB")), music...), "5 - - - "},
		"2.2":                                  {append(id3Tag(2, 0, rawFrame(2, "TXX", []byte("\x00replaygain_track_gain\x00-6 dB"))), music...), "-6 - - - "},
		"second tag":                           {bytes.Join([][]byte{id3Tag(3, 0), id3Tag(3, 0, id3Frame(3, 0, "replaygain_track_gain", "-1 dB")), music}, nil), "-1 - - - "},
		"nonsense":                             {append(id3Tag(3, 0, id3Frame(3, 0, "replaygain_track_gain", "NaN dB"), id3Frame(3, 0, "replaygain_track_peak", "loud")), music...), "- - - - "},
		"APE":                                  {append(bytes.Clone(untold), apeTag()...), "-4.25 0.75 - - "},
		"APE behind known size":                {append(bytes.Clone(music), apeTag()...), "-4.25 0.75 - - "},
		"nothing":                              {music, "- - - - "},
	} {
		d := open(t, c.data)
		if got := describe(d.info.Loudness); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if got := readAll(t, d); int64(len(got)) != 2*d.info.Frames || len(got) == 0 {
			t.Errorf("%s: %d samples", name, len(got))
		}
	}
	l := open(t, measured).info.Loudness
	if l.TrackGain == nil || l.TrackPeak == nil || l.AlbumGain != nil {
		t.Fatalf("LAME's own measurement: %s", describe(l))
	}
	peak := float32(0)
	for _, v := range readAll(t, open(t, measured)) {
		peak = max(peak, v, -v)
	}
	if diff := float64(peak) - *l.TrackPeak; diff > 0.01 || diff < -0.01 {
		t.Errorf("LAME measured a peak of %v, there is one of %v", *l.TrackPeak, peak)
	}
}

func TestLameGainField(t *testing.T) {
	tag := make([]byte, 36)
	copy(tag, "LAME3.100")
	binary.BigEndian.PutUint16(tag[15:], 1<<13|3<<10|1<<9|78) // track, automatic, -7.8 dB
	binary.BigEndian.PutUint16(tag[17:], 2<<13|1<<10|31)      // album, by the artist, +3.1 dB
	if got := describe(lameLoudness(tag)); got != "-7.8 - 3.1 - " {
		t.Errorf("gains: %s", got)
	}
	copy(tag, "LAME3.93 ") // aims at 83 dB
	if got := describe(lameLoudness(tag)); got != "-1.8 - 9.1 - " {
		t.Errorf("gains of an old version: %s", got)
	}
	binary.BigEndian.PutUint16(tag[15:], 1<<13|78) // set by nobody
	binary.BigEndian.PutUint16(tag[17:], 1<<13|1<<10|31)
	if got := describe(lameLoudness(tag)); got != "- - - - " {
		t.Errorf("empty fields: %s", got)
	}
}
