package lyrics_test

import (
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"waxwing/internal/lyrics"
	"waxwing/internal/media/text"
	"waxwing/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const ms = time.Millisecond

func line(start time.Duration, text string) lyrics.Line {
	return lyrics.Line{Start: start * ms, Text: text}
}

func TestParseOddities(t *testing.T) {
	synced := func(offset time.Duration, lines ...lyrics.Line) lyrics.Lyrics {
		return lyrics.Lyrics{Synced: true, Offset: offset * ms, Lines: lines}
	}
	plain := func(lines ...string) (l lyrics.Lyrics) {
		for _, s := range lines {
			l.Lines = append(l.Lines, line(0, s))
		}
		return l
	}
	words := func(start time.Duration, text string, words ...lyrics.Word) lyrics.Line {
		return lyrics.Line{Start: start * ms, Text: text, Words: words}
	}
	word := func(start time.Duration, text string) lyrics.Word { return lyrics.Word{Start: start * ms, Text: text} }
	for name, c := range map[string]struct {
		in   string
		want lyrics.Lyrics
	}{
		"two decimals":    {"[00:12.34]One\n[01:02.03]Two", synced(0, line(12340, "One"), line(62030, "Two"))},
		"three decimals":  {"[00:12.345]One", synced(0, line(12345, "One"))},
		"one decimal":     {"[00:12.3]One", synced(0, line(12300, "One"))},
		"no decimals":     {"[0:0]Zero\n[1:5]Five", synced(0, line(0, "Zero"), line(65000, "Five"))},
		"many decimals":   {"[00:01.123456]One", synced(0, line(1123, "One"))},
		"comma":           {"[00:12,34]One", synced(0, line(12340, "One"))},
		"colon":           {"[00:12:34]One", synced(0, line(12340, "One"))},
		"hours":           {"[01:00:12.34]One", synced(0, line(3612340, "One"))},
		"long minutes":    {"[123:45.67]One", synced(0, line(7425670, "One"))},
		"rounded seconds": {"[00:60.00]One", synced(0, line(60000, "One"))},
		"spaces":          {"  [ 00:01.00 ]  One  ", synced(0, line(1000, "One"))},
		"several times": {
			"[00:05.00][00:01.00] La\n[00:03.00]Di",
			synced(0, line(1000, "La"), line(3000, "Di"), line(5000, "La")),
		},
		"not sorted": {"[00:09.00]B\n[00:01.00]A", synced(0, line(1000, "A"), line(9000, "B"))},
		"same time": {
			"[00:01.00]Hello\n[00:01.00]Hallo",
			synced(0, line(1000, "Hello"), line(1000, "Hallo")),
		},
		"byte order mark": {"\ufeff[00:01.00]One", synced(0, line(1000, "One"))},
		"CRLF": {
			"[00:01.00]One\r\n[00:02.00]Two\r\n",
			synced(0, line(1000, "One"), line(2000, "Two")),
		},
		"CR": {"[00:01.00]One\r[00:02.00]Two", synced(0, line(1000, "One"), line(2000, "Two"))},
		"tags": {
			"[ar:A]\n[al:B]\n[ti:C]\n[au:D]\n[by:E]\n[length: 3:21]\n[re:F]\n[ve:1.0]\n[00:01.00]One",
			synced(0, line(1000, "One")),
		},
		"unknown tags":    {"[x_foo:bar]\n[#:note]\n[00:01.00]One", synced(0, line(1000, "One"))},
		"offset":          {"[offset:+500]\n[00:01.00]One", synced(500, line(1000, "One"))},
		"negative offset": {"[00:01.00]One\n[offset: -250]", synced(-250, line(1000, "One"))},
		"bad offset":      {"[offset:soon]\n[00:01.00]One", synced(0, line(1000, "One"))},
		"huge offset":     {"[offset:99999999999]\n[00:01.00]One", synced(0, line(1000, "One"))},
		"pause": {
			"[00:01.00]One\n[00:02.00]\n[00:03.00]Two",
			synced(0, line(1000, "One"), line(2000, ""), line(3000, "Two")),
		},
		"blank lines": {
			"[00:01.00]One\n\n\n[00:02.00]Two\n\n",
			synced(0, line(1000, "One"), line(2000, "Two")),
		},
		"line without": {
			"[00:01.00]One\nEins\n[00:02.00]Two",
			synced(0, line(1000, "One"), line(1000, "Eins"), line(2000, "Two")),
		},
		"bad times": {
			"[00:01.00]One\n[00:0x.00]Bad\n[0:100]Worse\n[-1:00]No\n[00:02.00]Two\n[00:03.00]Three",
			synced(0, line(1000, "One"), line(1000, "Bad"), line(1000, "Worse"), line(1000, "No"),
				line(2000, "Two"), line(3000, "Three")),
		},
		"bracket in text": {"[00:01.00]One [00:09.00] [x]", synced(0, line(1000, "One [00:09.00] [x]"))},
		"not closed":      {"[00:01.00]One\n[00:02.00", synced(0, line(1000, "One"), line(1000, "[00:02.00"))},
		"control bytes":   {"[00:01.00]a\x1b[31m\tb\u202ec", synced(0, line(1000, "a[31m bc"))},
		"words": {
			"[00:01.00]<00:01.00>Hel<00:01.20>lo <00:01.50>world<00:02.00>",
			synced(0,
				words(1000, "Hello world", word(1000, "Hel"), word(1200, "lo "), word(1500, "world"))),
		},
		"spaced words": {
			"[00:01.00] <00:01.00> Hello <00:01.50> world",
			synced(0, words(1000, "Hello world", word(1000, "Hello "), word(1500, "world"))),
		},
		"words after text": {
			"[00:01.00]Oh <00:01.50>yes",
			synced(0, words(1000, "Oh yes", word(1000, "Oh "), word(1500, "yes"))),
		},
		"words alone": {
			"<00:01.00>Hello <00:01.50>world",
			synced(0, words(1000, "Hello world", word(1000, "Hello "), word(1500, "world"))),
		},
		"repeated words": {
			"[00:01.00][00:11.00]<00:01.50>Hey",
			synced(0, words(1000, "Hey", word(1500, "Hey")),
				words(11000, "Hey", word(11500, "Hey"))),
		},
		"not a word time": {"[00:01.00]I <3 you <b>", synced(0, line(1000, "I <3 you <b>"))},
		"plain":           {"\n\nOne\n\nTwo\n\n", plain("One", "", "Two")},
		"plain with parts": {
			"[Verse 1: A]\nOne\n[Chorus]\nTwo\n[0:30] solo",
			plain("[Verse 1: A]", "One", "[Chorus]", "Two", "[0:30] solo"),
		},
		"only tags":   {"[ar:A]\n[ti:B]", plain("[ar:A]", "[ti:B]")},
		"empty":       {"", lyrics.Lyrics{}},
		"spaces only": {" \n\t\r\n ", lyrics.Lyrics{}},
		"Latin 1":     {"[00:01.00]Bj\xf6rk", synced(0, line(1000, "Björk"))},
	} {
		if got := lyrics.Parse(c.in); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: Parse(%q)\n got %+v\nwant %+v", name, c.in, got, c.want)
		}
	}
}

func TestEncodingsOfFiles(t *testing.T) {
	const want = "[00:01.00]Grüße, 世界\n"
	utf16 := func(s string, big bool) (b []byte) {
		for _, r := range s { // characters of one unit
			hi, lo := byte(r>>8), byte(r)
			if big {
				b = append(b, hi, lo)
			} else {
				b = append(b, lo, hi)
			}
		}
		return b
	}
	for name, b := range map[string][]byte{
		"UTF-8": []byte(want), "UTF-8 with mark": []byte("\xef\xbb\xbf" + want),
		"UTF-16LE": utf16(want, false), "UTF-16BE": utf16(want, true),
		"UTF-16LE with mark": utf16("\ufeff"+want, false), "UTF-16BE with mark": utf16("\ufeff"+want, true),
	} {
		if got := text.Decode(b); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestLineAtPosition(t *testing.T) {
	l := lyrics.Parse("[offset:+500]\n[00:01.00]A\n[00:02.00]B\n[00:02.00]b\n[00:03.00]C")
	for at, want := range map[time.Duration][2]int{
		0: {-1, 0}, 499: {-1, 0}, 500: {0, 1}, 1499: {0, 1}, 1500: {1, 3}, 2499: {1, 3}, 2500: {3, 4}, 99999: {3, 4},
	} {
		if first, next := l.At(at * ms); first != want[0] || next != want[1] {
			t.Errorf("At(%d ms): got %d, %d; want %d, %d", at, first, next, want[0], want[1])
		}
	}
	if first, _ := lyrics.Parse("plain").At(time.Hour); first != -1 {
		t.Errorf("plain text: got line %d, want none", first)
	}
}

func TestFormatAppliesTheOffset(t *testing.T) {
	l := lyrics.Parse("[offset:+500]\n[00:00.20]<00:00.20>A <00:01.005>B\n[62:02.50]C")
	if got, want := l.Format(), "[00:00.00]<00:00.00>A <00:00.505>B\n[62:02.00]C\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := lyrics.Parse("One\n\nTwo").Format(); got != "One\n\nTwo\n" {
		t.Errorf("plain: got %q", got)
	}
}

func TestTextsAreOrderedBySource(t *testing.T) {
	got := lyrics.ParseAll([]lyrics.Text{
		{Source: lyrics.Tag, Lang: "deu", Text: "Hallo"},
		{Source: lyrics.TXTFile, Text: "From a file"},
		{Source: lyrics.Tag, Lang: "eng", Text: "Hello"},
		{Source: lyrics.Tag, Text: "Hello"},
		{Source: lyrics.Tag, Text: "[00:01.00]in a tag"},
		{Source: lyrics.SYLT, Lang: "eng", Text: "[00:01.00]SYLT"},
		{Source: lyrics.LRCFile, Text: "[00:01.00]beside"},
		{Source: lyrics.Tag, Text: "  "},
	})
	var order []string
	for _, l := range got {
		order = append(order, l.Lines[0].Text+"/"+l.Lang)
	}
	want := "beside/ SYLT/eng in a tag/ Hallo/deu Hello/eng From a file/"
	if strings.Join(order, " ") != want {
		t.Errorf("got %q, want %q", strings.Join(order, " "), want)
	}
}

func TestHostileTextIsBounded(t *testing.T) {
	for name, s := range map[string]string{
		"lines":    strings.Repeat("[00:01.00]\n", 500_000),
		"times":    strings.Repeat(strings.Repeat("[00:01.00]", 200)+strings.Repeat("x", 400)+"\n", 500),
		"words":    "[00:01.00]" + strings.Repeat("<00:01.00>a", 100_000),
		"repeated": strings.Repeat(strings.Repeat("[00:01.00]", 60)+strings.Repeat("<00:01.00>a", 250)+"\n", 100),
		"brackets": strings.Repeat("[", 1<<20),
		"newlines": strings.Repeat("\n", 1<<20),
	} {
		testenv.CheckCost(t, func() {
			l := lyrics.Parse(s)
			size := 0
			for _, line := range l.Lines {
				size += len(line.Text)
			}
			if len(l.Lines) > lyrics.MaxLines || size > 1<<20 {
				t.Errorf("%s: got %d lines of %d bytes, want at most %d of 1 MiB", name, len(l.Lines), size, lyrics.MaxLines)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"[00:01.00]One\r\n[00:02.00][00:03.00]Two", "\ufeff[ti:x]\n[offset:-5]\n[0:0]<00:00.1>a <00:00.2>b",
		"plain\n\ntext", "[1:2:3.4]x", "[00:01", "<00:01.00>", "[00:01.00]\xff\xfe",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		testenv.CheckCost(t, func() {
			l := lyrics.Parse(s)
			for i, line := range l.Lines {
				if !utf8.ValidString(line.Text) || strings.ContainsAny(line.Text, "\n\r\x00") {
					t.Fatalf("line %q", line.Text)
				}
				if line.Start < 0 || i > 0 && l.Synced && line.Start < l.Lines[i-1].Start {
					t.Fatalf("line %d starts at %v", i, line.Start)
				}
				joined := ""
				for _, w := range line.Words {
					joined += w.Text
				}
				if len(line.Words) > 0 && joined != line.Text {
					t.Fatalf("words %q, line %q", joined, line.Text)
				}
			}
			l.At(time.Second)
			if again := lyrics.Parse(l.Format()); l.Synced && !again.Synced && len(l.Lines) > 0 {
				t.Fatalf("%q is no longer synced", l.Format())
			}
		})
	})
}
