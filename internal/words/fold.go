// Package words handles text for search, sorting and identity: folding, keys, transliteration,
// tokens, queries and spelling. It does no I/O and knows nothing of the catalog.
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Version identifies the rules of Fold, Key, SortKey and Tokens. Raise it when a rule changes: the
// catalog stores keys and tokens, and rewrites them when its stored version is older.
const Version = 2

// Fold maps spellings that listeners consider equal to one: letter case, width and compatibility
// forms, accents over Latin, Greek and Cyrillic letters, Arabic and Hebrew vowel points, the forms
// of alef, quotes and dashes. Marks that make another letter stay: が is not か, and Indic vowel
// signs, nukta and virama are kept. German ä is a; ae is found as a misspelling.
func Fold(s string) string {
	if isASCII(s) {
		s = strings.ToLower(s)
		if strings.IndexByte(s, '`') >= 0 {
			s = strings.ReplaceAll(s, "`", "'")
		}
		return s
	}
	if folded, ok := foldSimple(s); ok {
		return folded
	}
	return foldAny(s)
}

// foldAny folds any text.
func foldAny(s string) string {
	var in, out [256]byte
	folded := out[:0]
	base := ' '
	for rest := norm.NFKD.AppendString(in[:0], s); len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		rest = rest[size:]
		switch {
		case r < utf8.RuneSelf:
			base = r
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			} else if r == '`' {
				r = '\''
			}
			folded = append(folded, byte(r))
			continue
		case 0x3041 <= r && r <= 0x3096 || 0x30A1 <= r && r <= 0x30FA || 0x3400 <= r && r <= 0x9FFF:
			base = r // kana and Han have no case
			folded = utf8.AppendRune(folded, r)
			continue
		case unicode.Is(ignored, r):
			continue
		case unicode.Is(unicode.Mn, r):
			if !isDropped(r, base) {
				base = r
				folded = utf8.AppendRune(folded, r)
			}
			continue
		}
		base = r
		r = unicode.ToLower(r)
		if plain, ok := letters[r]; ok {
			folded = append(folded, plain...)
		} else {
			folded = utf8.AppendRune(folded, r)
		}
	}
	return string(norm.NFC.Bytes(folded))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isDropped reports whether a nonspacing mark over a base letter does not make another letter.
func isDropped(mark, base rune) bool {
	switch {
	case unicode.Is(accents, mark):
		return true
	case base == 'ا' || base == 'ٱ': // madda and hamza; ؤ and ئ are letters of their own
		return 0x0653 <= mark && mark <= 0x0655
	}
	return unicode.In(base, unicode.Latin, unicode.Greek, unicode.Cyrillic)
}

var (
	// accents are marks that never make another letter.
	accents = &unicode.RangeTable{R16: []unicode.Range16{
		{Lo: 0x0300, Hi: 0x036F, Stride: 1}, // accents of all scripts
		{Lo: 0x0591, Hi: 0x05C7, Stride: 1}, // Hebrew points
		{Lo: 0x0610, Hi: 0x061A, Stride: 1}, // Arabic signs
		{Lo: 0x064B, Hi: 0x0652, Stride: 1}, // Arabic vowel points
		{Lo: 0x0656, Hi: 0x065F, Stride: 1},
		{Lo: 0x0670, Hi: 0x0670, Stride: 1}, // superscript alef
		{Lo: 0x06D6, Hi: 0x06ED, Stride: 1}, // Quranic signs
		{Lo: 0x1AB0, Hi: 0x1AFF, Stride: 1},
		{Lo: 0x1DC0, Hi: 0x1DFF, Stride: 1},
		{Lo: 0x20D0, Hi: 0x20FF, Stride: 1},
		{Lo: 0xFE00, Hi: 0xFE0F, Stride: 1}, // variation selectors
		{Lo: 0xFE20, Hi: 0xFE2D, Stride: 1},
	}}
	// ignored are characters without a shape of their own. The zero-width non-joiner is not one of
	// them: Persian writes it between the parts of a word, and Tokens splits there.
	ignored = &unicode.RangeTable{R16: []unicode.Range16{
		{Lo: 0x00AD, Hi: 0x00AD, Stride: 1}, // soft hyphen
		{Lo: 0x061C, Hi: 0x061C, Stride: 1}, // Arabic letter mark
		{Lo: 0x0640, Hi: 0x0640, Stride: 1}, // tatweel stretches a line
		{Lo: 0x200B, Hi: 0x200B, Stride: 1}, // zero-width space
		{Lo: 0x200D, Hi: 0x200F, Stride: 1}, // joiner, direction marks
		{Lo: 0x202A, Hi: 0x202E, Stride: 1}, // direction overrides
		{Lo: 0x2060, Hi: 0x2064, Stride: 1},
		{Lo: 0x2066, Hi: 0x2069, Stride: 1},
		{Lo: 0xFEFF, Hi: 0xFEFF, Stride: 1}, // byte order mark
	}, LatinOffset: 1}
	// letters have no decomposition that would fold them.
	letters = map[rune]string{
		'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ħ': "h",
		'ŧ': "t", 'ı': "i", 'ŋ': "ng", 'ς': "σ",
		'ٱ': "ا", 'ى': "ي", 'ی': "ي", 'ة': "ه", 'ہ': "ه", 'ک': "ك",
		'’': "'", '‘': "'", '‛': "'", 'ʼ': "'", 'ʻ': "'", '′': "'", '“': `"`, '”': `"`, '„': `"`,
		'‐': "-", '‑': "-", '‒': "-", '–': "-", '—': "-", '―': "-", '−': "-",
	}
)

// Key is equal for names that mean the same artist, album, folder or title.
func Key(name string) string {
	folded := Fold(name)
	if isSingleSpaced(folded) {
		return folded
	}
	return strings.Join(strings.Fields(folded), " ")
}

// isSingleSpaced reports whether s is words with one space between two of them.
func isSingleSpaced(s string) bool {
	space := true
	for _, r := range s {
		switch {
		case r == ' ' && space, r != ' ' && unicode.IsSpace(r):
			return false
		}
		space = r == ' '
	}
	return !space
}

// SortKey orders names as a record shelf does: folded, without leading punctuation and without a
// leading English article. A name of punctuation alone sorts by itself.
func SortKey(name string) string {
	const longest = 100
	key := Key(name)
	bare := strings.TrimLeftFunc(key, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for _, article := range []string{"the ", "a ", "an "} {
		if rest, ok := strings.CutPrefix(bare, article); ok && rest != "" {
			bare = rest
			break
		}
	}
	if bare == "" {
		return Clip(key, longest)
	}
	return Clip(bare, longest)
}

// Clean prepares text for storage and display: valid UTF-8 in composed form, one line, without
// control characters, trimmed, at most limit runes.
func Clean(s string, limit int) string {
	if isPrintable(s) {
		return Clip(strings.TrimSpace(s), limit)
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
	return Clip(strings.TrimSpace(norm.NFC.String(s)), limit)
}

// isPrintable reports whether s is ASCII without control characters.
func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Clip returns the first limit runes of s.
func Clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n := 0
	for i := range s {
		if n == limit {
			return s[:i]
		}
		n++
	}
	return s
}
