package id3

import (
	"encoding/binary"

	"waxwing/internal/media/text"
)

// maxSyllables is the largest number of texts in a SYLT frame that are read.
const maxSyllables = 20_000

// Lyrics parses a USLT or ULT frame: the language and the text. ok is false if it has none.
func (f Frame) Lyrics() (lang, lyrics string, ok bool, err error) {
	b, err := f.Content()
	if err != nil || len(b) < 5 {
		return "", "", false, err
	}
	encoding, lang, b := b[0], string(b[1:4]), b[4:]
	bigEndian := encoding == 2
	lyrics, b, ok = cutString(encoding, &bigEndian, b)
	if ok { // else the writer left the description out
		lyrics, _, _ = cutString(encoding, &bigEndian, b)
	}
	return lang, lyrics, lyrics != "", nil
}

// SyncedLyrics is the content of a SYLT frame.
type SyncedLyrics struct {
	Lang      string
	Frames    bool // times count MPEG frames; else milliseconds
	Syllables []Syllable
}

// Syllable is a piece of text and the time at which it is sung. A line break at its beginning or
// end separates lines.
type Syllable struct {
	Text string
	Time uint32
}

// SyncedLyrics parses a SYLT or SLT frame. ok is false if it contains no lyrics, but chords,
// events or the like, or if its times have an unknown unit.
func (f Frame) SyncedLyrics() (s SyncedLyrics, ok bool, err error) {
	b, err := f.Content()
	if err != nil || len(b) < 7 {
		return s, false, err
	}
	encoding, unit, kind := b[0], b[4], b[5]
	s.Lang, s.Frames = string(b[1:4]), unit == 1
	if unit != 1 && unit != 2 || kind > 2 {
		return s, false, nil
	}
	bigEndian := encoding == 2
	_, b, ok = cutString(encoding, &bigEndian, b[6:])
	for ok && len(b) > 4 && len(s.Syllables) < maxSyllables {
		var syllable Syllable
		if syllable.Text, b, ok = cutString(encoding, &bigEndian, b); !ok || len(b) < 4 {
			break
		}
		syllable.Time, b = binary.BigEndian.Uint32(b), b[4:]
		s.Syllables = append(s.Syllables, syllable)
	}
	return s, len(s.Syllables) > 0, nil
}

// cutString decodes the text at the start of b up to its terminator, or all of b. ended reports
// whether there was a terminator.
func cutString(encoding byte, bigEndian *bool, b []byte) (s string, rest []byte, ended bool) {
	wide := encoding == 1 || encoding == 2
	n := text.Terminated(wide, b)
	ended = n >= 0
	content := b
	if ended {
		terminator := 1
		if wide {
			terminator = 2
		}
		content, rest = b[:n-terminator], b[n:]
	}
	if wide {
		return text.UTF16(content, bigEndian), rest, ended
	}
	return text.Latin1(content), rest, ended
}
