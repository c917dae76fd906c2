package words

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Scans fold a dozen texts of each song. foldSimple is for those whose characters fold one by one.

// foldSimple folds text of Latin, Greek and Cyrillic letters, kana, Han and Hangul without
// combining marks. For other text ok is false.
func foldSimple(s string) (folded string, ok bool) {
	letters := simpleLetters()
	var out strings.Builder
	out.Grow(len(s) + 8)
	for _, r := range s {
		switch {
		case 'A' <= r && r <= 'Z':
			out.WriteByte(byte(r + 'a' - 'A'))
		case r == '`':
			out.WriteByte('\'')
		case r < utf8.RuneSelf:
			out.WriteByte(byte(r))
		case isSyllable(r):
			out.WriteRune(r)
		default:
			plain, known := letters.lookup(r)
			if !known {
				return "", false
			}
			out.WriteString(plain)
		}
	}
	return out.String(), true
}

// isSyllable reports whether r is of kana, Han or Hangul and stays as it is.
func isSyllable(r rune) bool {
	return 0x3041 <= r && r <= 0x3096 || 0x30A1 <= r && r <= 0x30FA || 0x3400 <= r && r <= 0x9FFF ||
		0xAC00 <= r && r <= 0xD7A3
}

// Ranges of letters and of punctuation that mostly fold one by one.
const (
	firstLetter, lastLetter = 0x00A0, 0x052F
	firstSign, lastSign     = 0x2010, 0x2027
)

// letterTable holds the folded characters of the two ranges, or combined for those that foldSimple
// cannot fold.
type letterTable struct {
	letters [lastLetter - firstLetter + 1]string
	signs   [lastSign - firstSign + 1]string
}

const combined = "\xff"

func (t *letterTable) lookup(r rune) (plain string, known bool) {
	switch {
	case firstLetter <= r && r <= lastLetter:
		plain = t.letters[r-firstLetter]
	case firstSign <= r && r <= lastSign:
		plain = t.signs[r-firstSign]
	default:
		return "", false
	}
	return plain, plain != combined
}

// simpleLetters is the table, made at its first use.
var simpleLetters = sync.OnceValue(func() *letterTable {
	t := &letterTable{}
	fill := func(into []string, first rune) {
		for i := range into {
			r := first + rune(i)
			into[i] = foldAny(string(r))
			if unicode.Is(unicode.M, r) || strings.ContainsFunc(into[i], unicode.IsMark) {
				into[i] = combined
			}
		}
	}
	fill(t.letters[:], firstLetter)
	fill(t.signs[:], firstSign)
	return t
})
