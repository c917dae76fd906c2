package tags

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/unicode/norm"
)

const (
	maxTextBytes = 8 << 10 // what is looked at of one value
	maxTextRunes = 500     // what is kept of it
)

// Clean makes a string from a file fit for a database, a terminal and a page: valid
// UTF-8 in NFC, one line, without control and direction-override characters, at
// most 500 characters. Bytes that are not UTF-8 are read in the encoding they most likely are in.
func Clean(s string) string {
	s = cut(s, maxTextBytes)
	if isPlain(s) {
		return s
	}
	if !utf8.ValidString(s) {
		s = guess([]byte(s))
	}
	return tidy(s)
}

// cut shortens s to at most n bytes without parting a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// isPlain reports whether s is printable ASCII of moderate length with no outer spaces: the usual case, which needs no work.
func isPlain(s string) bool {
	if len(s) > maxTextRunes || s == "" {
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
			return -1 // they turn the direction of whatever is printed after them
		}
		return r
	}, s)
	s = norm.NFC.String(strings.TrimSpace(s))
	runes := 0
	for i := range s {
		if runes == maxTextRunes {
			return strings.TrimSpace(s[:i])
		}
		runes++
	}
	return s
}

// latin1 decodes bytes that a tag declares as ISO 8859-1. Many writers put their
// system's encoding, or UTF-8, there all the same.
func latin1(b []byte) string {
	if len(b) > maxTextBytes {
		b = b[:maxTextBytes]
	}
	if utf8.Valid(b) {
		return string(b)
	}
	return guess(b)
}

// guess decodes bytes that are not UTF-8. Western text has few letters beyond
// ASCII among many within; where most letters lie beyond, the text is in another
// script, and the encoding that yields the most coherent one wins.
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

// Each score is about 10 per byte of text that is usual in the script, and 0 where the text is not coherent.

func cyrillicScore(s string) int {
	score, other := 0, 0
	previousLower := false
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Cyrillic, r):
			score += 10
			if unicode.IsUpper(r) && previousLower {
				other += 2 // capitals within words: other text read in the wrong encoding
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
			return 0 // half-width kana are what other encodings look like
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

// chineseScore knows that the 3,755 commonest characters have lead bytes from 0xb0 to 0xd7.
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
