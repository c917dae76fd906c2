package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// clean makes text fit to be stored and shown: valid UTF-8 in composed form, one line, without
// control characters, trimmed and at most max runes long.
func clean(s string, max int) string {
	if isPrintable(s) {
		return clip(strings.TrimSpace(s), max)
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, s)
	return clip(strings.TrimSpace(norm.NFC.String(s)), max)
}

// isPrintable reports whether s is ASCII without control characters, in which there is nothing to mend.
func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// clip cuts s after max runes.
func clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	n := 0
	for i := range s {
		if n == max {
			return s[:i]
		}
		n++
	}
	return s
}

// fold maps spellings that people take for the same onto one: case, width, accents over Latin,
// Greek and Cyrillic letters, and the letters that no accent explains. Marks of other scripts
// stay, because there they change the letter.
func fold(s string) string {
	if isPlain(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	var base rune
	for _, r := range norm.NFKD.String(s) {
		if unicode.Is(unicode.Mn, r) && unicode.In(base, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
			continue
		}
		base = r
		r = unicode.ToLower(r)
		if plain, ok := foldedLetters[r]; ok {
			b.WriteString(plain)
			continue
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

var foldedLetters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ħ': "h", 'ı': "i", 'ŋ': "ng", 'ς': "σ",
	'’': "'", '‘': "'", '‛': "'", '`': "'", '´': "'", '“': `"`, '”': `"`, '„': `"`, '‐': "-", '‑': "-", '–': "-", '—': "-", '−': "-", '…': "...",
}

// nameKey is equal for names that mean the same artist or album.
func nameKey(name string) string { return strings.Join(strings.Fields(fold(name)), " ") }

// sortKey orders names as a shelf does: folded, without a leading article and without leading
// punctuation. A name of nothing else sorts by itself.
func sortKey(name string) string {
	key := nameKey(name)
	bare := strings.TrimLeftFunc(key, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for _, article := range []string{"the ", "a ", "an "} {
		if rest, ok := strings.CutPrefix(bare, article); ok && rest != "" {
			bare = rest
			break
		}
	}
	if bare == "" {
		return clip(key, 100)
	}
	return clip(bare, 100)
}

// shortKey keeps a key within what every index takes.
func shortKey(key string) string {
	key = strings.ReplaceAll(strings.ToValidUTF8(key, "\uFFFD"), "\x00", "")
	if len(key) <= 400 {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// truth stores a boolean the way both engines take it.
func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
