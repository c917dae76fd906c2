// Package text decodes and cleans strings from files of unknown origin.
package text

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/unicode/norm"
)

const (
	// MaxBytes is the longest value that Clean decodes; the rest is ignored.
	MaxBytes = 8 << 10
	// maxText is the longest text that is decoded; the rest is ignored.
	maxText = 1 << 20
	// MaxRunes is the longest string that Clean returns, in characters.
	MaxRunes = 500
)

// Clean makes a string from a file safe for a database, a terminal and a web page: valid UTF-8 in
// NFC, one line, without control and bidirectional override characters, at most MaxRunes
// characters. Bytes that are not UTF-8 are decoded in the most likely legacy encoding.
func Clean(s string) string {
	s = cut(s, MaxBytes)
	if isPlain(s) {
		return s
	}
	if !utf8.ValidString(s) {
		s = guess([]byte(s))
	}
	return tidy(s)
}

// cut shortens s to at most n bytes without splitting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// isPlain reports whether Clean would return s unchanged because it is short, trimmed, printable
// ASCII: the common case.
func isPlain(s string) bool {
	if len(s) > MaxRunes || s == "" {
		return s == ""
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return s[0] != ' ' && s[len(s)-1] != ' '
}

// tidy expects valid UTF-8.
func tidy(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.IsControl(r), r == '\ufeff', r == '\ufffe', r == utf8.RuneError:
			return -1
		case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\u200e', r == '\u200f':
			return -1 // bidirectional overrides and marks affect the text printed after them
		}
		return r
	}, s)
	s = norm.NFC.String(strings.TrimSpace(s))
	runes := 0
	for i := range s {
		if runes == MaxRunes {
			return strings.TrimSpace(s[:i])
		}
		runes++
	}
	return s
}

// Latin1 decodes bytes that a tag declares as ISO 8859-1. Many writers store UTF-8 or the encoding
// of their system instead, so the real encoding is detected.
func Latin1(b []byte) string {
	b = b[:min(len(b), maxText)]
	if utf8.Valid(b) {
		return string(b)
	}
	return guess(b)
}

// Decode decodes a text file: UTF-8 and UTF-16 with or without a byte order mark, or the most
// likely legacy encoding.
func Decode(b []byte) string {
	b = b[:min(len(b), maxText)]
	if after, ok := bytes.CutPrefix(b, []byte("\xef\xbb\xbf")); ok {
		return strings.ToValidUTF8(string(after), "")
	}
	if bigEndian, ok := isUTF16(b); ok {
		return UTF16(b, &bigEndian)
	}
	return Latin1(b)
}

// isUTF16 reports whether b is UTF-16: it has a byte order mark, or a quarter of the bytes on one
// side of its first characters are zero, which never occurs in other encodings.
func isUTF16(b []byte) (bigEndian, ok bool) {
	if len(b) < 2 {
		return false, false
	}
	if b[0] == 0xff && b[1] == 0xfe || b[0] == 0xfe && b[1] == 0xff {
		return b[0] == 0xfe, true
	}
	var zeros [2]int
	head := b[:min(len(b), 512)]
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	quarter := max(len(head)/8, 1)
	return zeros[0] > zeros[1], max(zeros[0], zeros[1]) >= quarter && min(zeros[0], zeros[1]) == 0
}

// UTF16 decodes one string without its terminator. A byte order mark sets *bigEndian, so that it
// also applies to the strings that follow in the same frame.
func UTF16(b []byte, bigEndian *bool) string {
	if len(b) >= 2 {
		switch {
		case b[0] == 0xff && b[1] == 0xfe:
			*bigEndian, b = false, b[2:]
		case b[0] == 0xfe && b[1] == 0xff:
			*bigEndian, b = true, b[2:]
		}
	}
	b = b[:min(len(b), maxText)]
	units := make([]uint16, len(b)/2)
	for i := range units {
		if *bigEndian {
			units[i] = binary.BigEndian.Uint16(b[2*i:])
		} else {
			units[i] = binary.LittleEndian.Uint16(b[2*i:])
		}
	}
	return string(utf16.Decode(units))
}

// Terminated returns the length of the NUL-terminated text at the start of b, terminator included,
// or −1 if it does not end. The characters of wide text have two bytes.
func Terminated(wide bool, b []byte) int {
	if !wide {
		if i := bytes.IndexByte(b, 0); i >= 0 {
			return i + 1
		}
		return -1
	}
	for i := 0; i+1 < len(b); i += 2 {
		if b[i] == 0 && b[i+1] == 0 {
			return i + 2
		}
	}
	return -1
}

// guess decodes bytes that are not UTF-8. Western text has few letters outside ASCII. Where most
// letters are outside, the text is in another script, and the encoding with the best score wins.
func guess(b []byte) string {
	var high, letters int
	for _, c := range b {
		if c >= 0x80 {
			high++
		} else if c|0x20 >= 'a' && c|0x20 <= 'z' {
			letters++
		}
	}
	best := decodeAll(charmap.Windows1252, b)
	if high < 3 || high < letters {
		return best
	}
	bestScore := 0
	for _, c := range []struct {
		enc   encoding.Encoding
		score func(string) int
	}{
		{charmap.Windows1251, cyrillicScore},
		{japanese.ShiftJIS, japaneseScore},
		{korean.EUCKR, koreanScore},
		{simplifiedchinese.GBK, func(s string) int { return chineseScore(s, b) }},
	} {
		s := decodeAll(c.enc, b)
		if strings.ContainsRune(s, utf8.RuneError) {
			continue
		}
		if score := c.score(s); score > bestScore {
			best, bestScore = s, score
		}
	}
	return best
}

func decodeAll(enc encoding.Encoding, b []byte) string {
	out, err := enc.NewDecoder().Bytes(b)
	if err != nil {
		return strings.ToValidUTF8(string(b), "")
	}
	return string(out)
}

// Each score is about 10 per byte of text that is common in the script, and 0 for implausible text.

func cyrillicScore(s string) int {
	score, other := 0, 0
	previousLower := false
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Cyrillic, r):
			score += 10
			if unicode.IsUpper(r) && previousLower {
				other += 2 // capitals inside words indicate the wrong encoding
			}
		case r > 0x7f:
			other++
		}
		previousLower = unicode.IsLower(r)
	}
	if other*4 > score/10 {
		return 0
	}
	return score
}

func japaneseScore(s string) int {
	kana, han := 0, 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana) && r < 0xff00:
			kana++
		case unicode.Is(unicode.Han, r), r >= 0x3000 && r < 0x3040, r >= 0xff01 && r < 0xff5f:
			han++
		case r > 0x7f:
			return 0 // other encodings decode to half-width kana
		}
	}
	if kana == 0 {
		return han * 18
	}
	return kana*30 + han*20
}

func koreanScore(s string) int {
	hangul := 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Hangul, r):
			hangul++
		case r > 0x7f:
			hangul--
		}
	}
	return max(hangul, 0) * 22
}

// chineseScore relies on the 3,755 most common characters having lead bytes from 0xb0 to 0xd7.
func chineseScore(s string, b []byte) int {
	common, pairs := 0, 0
	for i := 0; i < len(b); i++ {
		if b[i] < 0x80 {
			continue
		}
		pairs++
		if b[i] >= 0xb0 && b[i] <= 0xd7 && i+1 < len(b) && b[i+1] >= 0xa1 {
			common++
		}
		i++
	}
	if common*10 < pairs*8 {
		return 0
	}
	return common * 21
}
