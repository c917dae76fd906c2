package scan

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold makes spellings equal that people take for the same: case, accents, width and spaces.
func fold(s string) string {
	plain := true
	for i := range len(s) {
		if s[i] >= 0x80 {
			plain = false
			break
		}
	}
	if plain {
		return strings.Join(strings.Fields(strings.ToLower(s)), " ")
	}
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
	return strings.Join(strings.Fields(norm.NFC.String(s)), " ")
}
