package tags_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"waxwing/internal/media/mediatest"
	"waxwing/internal/tags"
)

// apeTag builds an APE tag with one item.
func apeTag(key, value string) []byte {
	item := append(binary.LittleEndian.AppendUint32(nil, uint32(len(value))), 0, 0, 0, 0)
	item = append(item, key+"\x00"+value...)
	b := append([]byte("APETAGEX"), 0xd0, 7, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(item)+32))
	b = append(b, 1, 0, 0, 0, 0, 0, 0, 0)
	return append(item, append(b, make([]byte, 8)...)...)
}

func id3v1(title string) []byte {
	return append([]byte("TAG"+title), make([]byte, 125-len(title))...)
}

func TestNativeTagBeatsID3InFrontOfIt(t *testing.T) {
	files := sound(t, "flac", "wavpack", "mp3-vbr")
	front := id3(3, 0, frame(3, "TIT2", "\x00front"), frame(3, "TPE1", "\x00front"),
		frame(3, "APIC", "\x00image/png\x00\x03\x00front picture"))
	native := map[string][]string{"TITLE": {"native"}}
	for name, c := range map[string]struct {
		file                   []byte
		title, artist, picture string
	}{
		"FLAC": {
			slices.Concat(front, tagged(t, files["flac"], "flac", native, []byte("\xff\xd8\xff\xe0native"))),
			"native", "front", "\xff\xd8\xff\xe0native",
		},
		"FLAC without picture": {
			slices.Concat(front, tagged(t, files["flac"], "flac", native, nil)), "native", "front", "front picture",
		},
		"WavPack with APE": {
			slices.Concat(front, files["wavpack"], apeTag("Title", "native")), "native", "front", "front picture",
		},
		"WavPack with ID3v1": {
			slices.Concat(front, files["wavpack"], id3v1("cut short")), "front", "front", "front picture",
		},
		"MP3 with APE": {
			slices.Concat(front, files["mp3-vbr"], apeTag("Title", "native")), "front", "front", "front picture",
		},
	} {
		got := read(t, c.file)
		if got.Title != c.title || got.Artist != c.artist {
			t.Errorf("%s: got title %q and artist %q, want %q and %q", name, got.Title, got.Artist, c.title, c.artist)
		}
		pic, err := got.Picture.Read(bytes.NewReader(c.file), int64(len(c.file)))
		if err != nil || string(pic) != c.picture {
			t.Errorf("%s: got picture %q and %v, want %q", name, pic, err, c.picture)
		}
	}
}

func TestTagsAtTheEndMayHaveAnyOrder(t *testing.T) {
	lyrics := []byte("LYRICSBEGININD0000200000021LYRICS200")
	old := []byte("LYRICSBEGINla la laLYRICSEND")
	gain := apeTag("REPLAYGAIN_TRACK_GAIN", "-6,35 dB")
	appended := mediatest.ID3Tag(4, 0x10, frame(4, "TPE1", "\x03at the end"))
	audio := mpegFrames(9)
	for name, c := range map[string]struct {
		trailer []byte
		artist  string
	}{
		"APE":                        {gain, ""},
		"APE, ID3v1":                 {slices.Concat(gain, id3v1("title")), ""},
		"APE, Lyrics3, ID3v1":        {slices.Concat(gain, lyrics, id3v1("title")), ""},
		"Lyrics3, APE, ID3v1":        {slices.Concat(lyrics, gain, id3v1("title")), ""},
		"APE, old Lyrics3, ID3v1":    {slices.Concat(gain, old, id3v1("title")), ""},
		"ID3v1, APE":                 {slices.Concat(id3v1("title"), gain), ""},
		"ID3v2, APE, Lyrics3, ID3v1": {slices.Concat(appended, gain, lyrics, id3v1("title")), "at the end"},
		"APE, ID3v2 with a footer":   {slices.Concat(gain, appended), "at the end"},
	} {
		got := read(t, slices.Concat(audio, c.trailer))
		if g := describeGain(got.Gain); g != "-6.35 - - - " || got.Artist != c.artist {
			t.Errorf("%s: got gain %q and artist %q, want -6.35 dB and %q", name, g, got.Artist, c.artist)
		}
		if want := int64(len(audio)); got.Audio.Len != want {
			t.Errorf("%s: got %d bytes of audio, want %d", name, got.Audio.Len, want)
		}
	}
}

func TestShortFrameNamesInLaterVersions(t *testing.T) {
	long := func(id, content string) []byte { return frame(3, id+"\x00", content) }
	short := func(id, content string) []byte {
		return append([]byte(id), append([]byte{0, 0, byte(len(content))}, content...)...)
	}
	for name, build := range map[string]func(id, content string) []byte{"ten bytes": long, "six bytes": short} {
		file := append(id3(3, 0, build("TT2", "\x00title"), build("TP1", "\x00artist"), build("PIC", "\x00PNG\x03\x00image")),
			mpegFrames(9)...)
		got := read(t, file)
		pic, err := got.Picture.Read(bytes.NewReader(file), int64(len(file)))
		if got.Title != "title" || got.Artist != "artist" || string(pic) != "image" {
			t.Errorf("headers of %s: got %q by %q and picture %q (%v), want title by artist and image", name, got.Title,
				got.Artist, pic, err)
		}
	}
}

func TestAuthorIsTheArtistInWindowsMediaOnly(t *testing.T) {
	files := sound(t, "flac")
	got := read(t, tagged(t, files["flac"], "flac", map[string][]string{"AUTHOR": {"a writer"}, "TITLE": {"t"}}, nil))
	if got.Artist != "" {
		t.Errorf("got artist %q of a FLAC file with the comment AUTHOR, want none", got.Artist)
	}
}

func TestMusicBrainzIdentifiersAreNotRepeated(t *testing.T) {
	const id = "87c5dedd-371d-4a53-9f7f-80522fb7f3cb"
	files := sound(t, "flac")
	got := read(t, tagged(t, files["flac"], "flac",
		map[string][]string{"MUSICBRAINZ_ARTISTID": {id, strings.ToUpper(id), id + "/" + id}}, nil))
	if want := []string{id}; !slices.Equal(got.MusicBrainz.Artists, want) {
		t.Errorf("got %v, want %v", got.MusicBrainz.Artists, want)
	}
}

func TestLayersHaveTheirOwnFormats(t *testing.T) {
	layer := func(head string, length int) []byte {
		return bytes.Repeat(append([]byte(head), make([]byte, length-4)...), 9)
	}
	for want, file := range map[tags.Format][]byte{
		tags.MP1: layer("\xff\xff\x90\x00", 312), tags.MP2: layer("\xff\xfd\x90\x00", 522), tags.MP3: mpegFrames(9),
	} {
		if got := read(t, file).Format; got != want {
			t.Errorf("got format %s, want %s", got, want)
		}
	}
}

// A damaged tag costs the tag, never the song.
func TestDamagedTagsDoNotHideTheSong(t *testing.T) {
	files := sound(t, "wav", "aiff", "wma", "wavpack", "mp3-vbr")
	chunk := func(id string, order binary.AppendByteOrder, size int, content string) []byte {
		return append(order.AppendUint32([]byte(id), uint32(size)), content...)
	}
	cutList := "INFOINAM\xff\xff\x00\x00x"
	cutTag := "ID3\x03\x00\x00\x00\x00\x06TIT2"
	le, be := binary.LittleEndian, binary.BigEndian
	// An object of impossible size at the end of the header, whose size is at offset 16.
	wma := bytes.Clone(files["wma"])
	end := le.Uint64(wma[16:])
	wma = slices.Concat(wma[:end], bytes.Repeat([]byte{0xee}, 30), wma[end:])
	le.PutUint64(wma[16:], end+30)
	for name, c := range map[string]struct{ file, whole []byte }{
		"list cut in WAV":       {slices.Concat(files["wav"], chunk("LIST", le, 4000, cutList)), files["wav"]},
		"ID3 cut in WAV":        {slices.Concat(files["wav"], chunk("id3 ", le, 900, cutTag)), files["wav"]},
		"name cut in AIFF":      {append(bytes.Clone(files["aiff"]), chunk("NAME", be, 100, "x")...), files["aiff"]},
		"object damaged in WMA": {wma, files["wma"]},
		"APE without items":     {append(bytes.Clone(files["wavpack"]), apeTag("Title", "x")[9:]...), files["wavpack"]},
	} {
		got, err := tags.Read(bytes.NewReader(c.file), int64(len(c.file)))
		if want := read(t, c.whole); err != nil || got.Format != want.Format || got.Duration != want.Duration {
			t.Errorf("%s: got %s of %v and %v, want %s of %v", name, got.Format, got.Duration, err, want.Format, want.Duration)
		}
	}
}

func TestGainOfWAVAndAIFF(t *testing.T) {
	files := sound(t, "wav", "aiff")
	for ext, file := range files {
		if ext != "wav" && ext != "aiff" {
			continue
		}
		got := read(t, tagged(t, file, ext, map[string][]string{"REPLAYGAIN_TRACK_GAIN": {"-6,35 dB"}}, nil))
		if g := describeGain(got.Gain); g != "-6.35 - - - " {
			t.Errorf("%s: got gain %q, want -6.35 dB", ext, g)
		}
	}
}
