// Package lyrics parses the text of songs into timed lines: LRC, enhanced LRC with a timestamp
// before each word, and plain text. Text is not trusted: its size, the number of its lines and
// the length of a line are bounded, and every line is clean UTF-8.
package lyrics

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"
)

const (
	// MaxBytes is the longest text that is parsed; the rest is ignored.
	MaxBytes = 256 << 10
	// MaxLines is the largest number of lines of one text; the rest is ignored.
	MaxLines = 10_000
	// MaxTexts is the largest number of texts of one song.
	MaxTexts = 16
	// maxTime is the latest believable time in a song.
	maxTime = 100 * time.Hour
)

// Lyrics is the text of a song. If it is synced, its lines are sorted by their start.
type Lyrics struct {
	Lang   string // code of two or three letters, such as "en" or "eng"; "": unknown
	Synced bool   // the lines have a start
	// Offset shows every line earlier if it is positive, later if it is negative: a line is due at
	// Start − Offset. Programs disagree about the sign; this is the meaning of most writers.
	Offset time.Duration
	Lines  []Line
}

// Line is one line. An empty text between others is a pause.
type Line struct {
	Start time.Duration // 0 if the lyrics are not synced
	Text  string
	Words []Word // with a start of their own; their texts together are Text
}

// Word is a word or a syllable, with the space after it.
type Word struct {
	Start time.Duration
	Text  string
}

// Due returns when line i is sung: its start with the offset applied, at least 0.
func (l Lyrics) Due(i int) time.Duration { return max(l.Lines[i].Start-l.Offset, 0) }

// At returns the first of the lines that are sung at a position, and the first line after them.
// Lines with the same start, such as a text and its translation, are sung together. first is −1
// before the first line, next is len(l.Lines) from the last one on. Lyrics that are not synced
// have no line to sing.
func (l Lyrics) At(position time.Duration) (first, next int) {
	if !l.Synced {
		return -1, len(l.Lines)
	}
	next = sort.Search(len(l.Lines), func(i int) bool { return l.Due(i) > position })
	first = next - 1
	for first > 0 && l.Due(first-1) == l.Due(first) {
		first--
	}
	return first, next
}

// Source is where a text was found. The order of the constants is the order of precedence.
type Source string

const (
	LRCFile Source = "lrc"  // a file .lrc beside the song
	SYLT    Source = "sylt" // synchronised lyrics of an ID3 tag, converted to LRC
	Tag     Source = "tag"  // a text field of any tag
	TXTFile Source = "txt"  // a file .txt beside the song

	Online Source = "online" // a lyrics server
)

// Text is lyrics as a file contains them. Any text may be LRC.
type Text struct {
	Source Source `json:"source"`
	Lang   string `json:"lang,omitempty"`
	Text   string `json:"text"`
}

// ParseAll parses the texts of one song: synced ones first, then by source. Empty texts and
// repeated ones are left out, and those after the first 2·MaxBytes.
func ParseAll(texts []Text) []Lyrics {
	type parsed struct {
		Lyrics
		rank int
	}
	var all []parsed
	bytes := 0
	for _, t := range texts[:min(len(texts), MaxTexts)] {
		if bytes += len(t.Text); bytes > 2*MaxBytes {
			break
		}
		l := Parse(t.Text)
		l.Lang = t.Lang
		if len(l.Lines) == 0 || slices.ContainsFunc(all, func(other parsed) bool { return l.repeats(other.Lyrics) }) {
			continue
		}
		rank := slices.Index([]Source{LRCFile, SYLT, Tag, TXTFile, Online}, t.Source)
		if !l.Synced {
			rank += 100
		}
		all = append(all, parsed{l, rank})
	}
	slices.SortStableFunc(all, func(a, b parsed) int { return cmp.Compare(a.rank, b.rank) })
	out := make([]Lyrics, len(all))
	for i, p := range all {
		out[i] = p.Lyrics
	}
	return out
}

// repeats reports whether l says the same as another text of the song.
func (l Lyrics) repeats(other Lyrics) bool {
	return l.Synced == other.Synced && l.Offset == other.Offset && (l.Lang == other.Lang || l.Lang == "") &&
		slices.EqualFunc(l.Lines, other.Lines, func(a, b Line) bool {
			return a.Start == b.Start && a.Text == b.Text && slices.Equal(a.Words, b.Words)
		})
}

// CleanLang returns the language code in a tag, "" if it names none.
func CleanLang(code string) string {
	code = strings.ToLower(strings.TrimSpace(strings.Trim(code, "\x00")))
	if len(code) < 2 || len(code) > 3 || code == "xxx" || code == "und" || code == "xx" {
		return ""
	}
	for _, c := range []byte(code) {
		if c < 'a' || c > 'z' {
			return ""
		}
	}
	return code
}
