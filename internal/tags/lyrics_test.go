package tags_test

import (
	"encoding/binary"
	"reflect"
	"strings"
	"testing"

	"waxwing/internal/lyrics"
	"waxwing/internal/testenv"
)

// sylt returns the content of a SYLT frame in UTF-8.
func sylt(unit, kind byte, entries ...any) string {
	b := append([]byte("\x03eng"), unit, kind, 'd', 0)
	for i := 0; i < len(entries); i += 2 {
		b = append(append(b, entries[i].(string)...), 0)
		b = binary.BigEndian.AppendUint32(b, uint32(entries[i+1].(int)))
	}
	return string(b)
}

func TestSyncedLyricsInBothUnits(t *testing.T) {
	for name, c := range map[string]struct {
		frame string
		want  string
	}{
		"milliseconds": {sylt(2, 1, "One", 1000, "Two", 2005), "[00:01.00]One\n[00:02.005]Two\n"},
		// 1152 samples at 44.1 kHz are 26.122 ms
		"MPEG frames": {sylt(1, 1, "One", 0, "Two", 100), "[00:00.00]One\n[00:02.612]Two\n"},
		"syllables": {
			sylt(2, 1, "Hel", 1000, "lo ", 1200, "world", 1500, "\nAgain", 3000, "\n", 4000, "\nEnd", 5000),
			"[00:01.00]<00:01.00>Hel<00:01.20>lo <00:01.50>world\n[00:03.00]Again\n[00:04.00]\n[00:05.00]End\n",
		},
		"breaks at the end": {sylt(2, 1, "One\n", 1000, "Two\n", 2000), "[00:01.00]One\n[00:02.00]Two\n"},
		"chords":            {sylt(2, 4, "C", 1000), ""},
		"unknown unit":      {sylt(3, 1, "One", 1000), ""},
		"UTF-16": {
			"\x01deu\x02\x01\xff\xfe\x00\x00" + "\xff\xfeJ\x00a\x00\x00\x00" + "\x00\x00\x03\xe8", "[00:01.00]Ja\n",
		},
		"cut off": {sylt(2, 1, "One", 1000)[:14], ""},
	} {
		got := read(t, append(id3(4, 0, frame(4, "SYLT", c.frame)), mpegFrames(10)...)).Lyrics
		if c.want == "" {
			if len(got) > 0 {
				t.Errorf("%s: got %+v, want none", name, got)
			}
			continue
		}
		if len(got) != 1 || got[0].Text != c.want || got[0].Source != lyrics.SYLT || got[0].Lang == "" {
			t.Errorf("%s: got %+v, want %q", name, got, c.want)
		}
	}
}

func TestLyricsInManyLanguages(t *testing.T) {
	tag := id3(3, 0,
		frame(3, "SYLT", sylt(2, 1, "Hello", 1000)),
		frame(3, "USLT", "\x00eng\x00Hello\nworld"),
		frame(3, "USLT", "\x00eng\x00Hello\nworld"),
		frame(3, "USLT", "\x01deu\xff\xfed\x00\x00\x00\xff\xfeT\x00a\x00g\x00"),
		frame(3, "USLT", "\x02jpn\x00\x00\x30\x42\x00\n\x30\x44"),
		frame(3, "USLT", "\x03XXX\x00Тест"),
		frame(3, "USLT", "\x03frano description"),
		frame(3, "TXXX", "\x03LYRICS\x00[00:01.00]In TXXX"))
	want := []lyrics.Text{
		{Source: lyrics.SYLT, Lang: "eng", Text: "[00:01.00]Hello\n"},
		{Source: lyrics.Tag, Lang: "eng", Text: "Hello\nworld"},
		{Source: lyrics.Tag, Lang: "deu", Text: "Tag"},
		{Source: lyrics.Tag, Lang: "jpn", Text: "あ\nい"},
		{Source: lyrics.Tag, Text: "Тест"},
		{Source: lyrics.Tag, Lang: "fra", Text: "no description"},
		{Source: lyrics.Tag, Text: "[00:01.00]In TXXX"},
	}
	if got := read(t, append(tag, mpegFrames(10)...)).Lyrics; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestLyricsOfEveryFormat writes a text longer than other values with TagLib.
func TestLyricsOfEveryFormat(t *testing.T) {
	names := []string{"mp3-vbr", "flac", "vorbis", "opus", "aac", "alac", "wav", "aiff", "wma", "wavpack"}
	files := sound(t, names...)
	long := strings.TrimSpace(strings.Repeat("[00:01.00]Zeile für Zeile – 行\n", 1200))
	for _, k := range kinds {
		if files[k.name] == nil || k.name == "adts" {
			continue
		}
		b := tagged(t, files[k.name], k.ext, map[string][]string{"TITLE": {"T"}, "LYRICS": {long}}, nil)
		got := read(t, b)
		if len(got.Lyrics) != 1 || got.Lyrics[0].Text != long || got.Title != "T" {
			sizes := []int{}
			for _, l := range got.Lyrics {
				sizes = append(sizes, len(l.Text))
			}
			t.Errorf("%s: got texts of %v bytes, want one of %d", k.name, sizes, len(long))
		}
	}
}

func TestHostileSyncedLyricsAreBounded(t *testing.T) {
	entries := []any{"a\n", 1}
	for range 30_000 {
		entries = append(entries, "a", 1<<31-1)
	}
	b := append(id3(4, 0, frame(4, "SYLT", sylt(2, 1, entries...))), mpegFrames(10)...)
	testenv.CheckCost(t, func() {
		if all := lyrics.ParseAll(read(t, b).Lyrics); len(all) > 1 {
			t.Errorf("got %d lyrics, want at most 1", len(all))
		}
	})
}
