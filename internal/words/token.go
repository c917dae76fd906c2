package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	longestToken = 40 // runes
	// TokensPerRow is the largest number of tokens that one song or name is indexed by.
	TokensPerRow = 64
)

// Tokens returns the tokens that texts are indexed by, each once. A word with punctuation inside is
// indexed by its parts and without the punctuation: AC/DC by ac, dc and acdc. Text in a script
// without spaces is indexed by pairs of neighbouring characters.
func Tokens(texts ...string) []string {
	var tokens []string
	add := func(token string) {
		token = Clip(token, longestToken)
		if token != "" && len(tokens) < TokensPerRow && !slices.Contains(tokens, token) {
			tokens = append(tokens, token)
		}
	}
	for _, text := range texts {
		for word := range strings.FieldsSeq(Fold(text)) {
			if isAlphanumeric(word) {
				add(word)
				continue
			}
			parts := strings.FieldsFunc(word, isPunctuation)
			for _, part := range parts {
				for _, r := range runsOf(part) {
					r.eachToken(add)
				}
			}
			if len(parts) > 1 && !hasDense(word) {
				add(strings.Join(parts, ""))
			}
		}
	}
	return tokens
}

// isAlphanumeric reports whether s consists of ASCII letters and digits.
func isAlphanumeric(s string) bool {
	for i := range len(s) {
		if c := s[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9') {
			return false
		}
	}
	return true
}

// isPunctuation reports whether r separates tokens.
func isPunctuation(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.M, r)
}

// isDense reports whether r is of a script without spaces between words, or of one whose words are
// searched for by their middle.
func isDense(r rune) bool {
	return r >= 0x0E00 && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

func hasDense(s string) bool { return strings.ContainsFunc(s, isDense) }

// run is a stretch of text that is dense throughout or nowhere.
type run struct {
	text  string
	dense bool
}

// runsOf splits s. A mark belongs to the run of the letter before it.
func runsOf(s string) []run {
	var runs []run
	start := 0
	for i, r := range s {
		dense := isDense(r)
		switch {
		case len(runs) == 0:
			runs = append(runs, run{dense: dense})
		case dense != runs[len(runs)-1].dense && !unicode.Is(unicode.M, r):
			runs[len(runs)-1].text = s[start:i]
			runs = append(runs, run{dense: dense})
			start = i
		}
	}
	if len(runs) > 0 {
		runs[len(runs)-1].text = s[start:]
	}
	return runs
}

// eachToken passes the tokens of a run to add. Those of a dense run are its pairs and its last
// character: any single character of it is then the prefix of a token, and any longer part is
// covered by pairs that all are tokens.
func (r run) eachToken(add func(string)) {
	if !r.dense {
		add(r.text)
		return
	}
	for i, first := range r.text {
		size := utf8.RuneLen(first)
		_, next := utf8.DecodeRuneInString(r.text[i+size:])
		add(r.text[i : i+size+next])
	}
}
