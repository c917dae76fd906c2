package catalog

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

const (
	longestWord  = 40 // runes; more tells nothing more
	wordsPerText = 64 // of one song or name
	wordsAsked   = 8  // of one query; the rest is ignored
)

// wordsOf returns the words under which texts are found, each once. A word with punctuation inside
// is found by its parts and without it: AC/DC by ac, dc and acdc. Text without spaces between words
// is found by each pair of neighbouring characters.
func wordsOf(texts ...string) []string {
	var words []string
	add := func(word string) {
		if word = clip(word, longestWord); word != "" && len(words) < wordsPerText && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	for _, text := range texts {
		for chunk := range strings.FieldsSeq(fold(text)) {
			parts := strings.FieldsFunc(chunk, isMark)
			for _, part := range parts {
				if isPlain(part) {
					add(part)
					continue
				}
				for _, run := range runs(part) {
					for _, word := range run.words() {
						add(word)
					}
				}
			}
			if len(parts) > 1 && !hasDense(chunk) {
				add(strings.Join(parts, ""))
			}
		}
	}
	return words
}

// isMark reports whether r only separates or decorates.
func isMark(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.M, r)
}

// isDense reports whether r is of a script that writes no spaces between words, or whose words are
// asked for by their middle.
func isDense(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == 'ー'
}

func hasDense(s string) bool { return strings.ContainsFunc(s, isDense) }

// run is a stretch of one kind of script.
type run struct {
	text  []rune
	dense bool
}

func runs(s string) []run {
	var list []run
	for _, r := range s {
		dense := isDense(r)
		if len(list) == 0 || list[len(list)-1].dense != dense {
			list = append(list, run{dense: dense})
		}
		last := &list[len(list)-1]
		last.text = append(last.text, r)
	}
	return list
}

// words of a dense run are its pairs and its last character: with these, any part of it of one
// character is the beginning of a word, and a longer part is pairs that all are words.
func (r run) words() []string {
	if !r.dense {
		return []string{string(r.text)}
	}
	var pairs []string
	for i := range r.text {
		pairs = append(pairs, string(r.text[i:min(i+2, len(r.text))]))
	}
	return pairs
}

// term is one word of a query. It stands for itself and for its spellings; the last one that was
// typed may be the beginning of a longer one.
type term struct {
	word   string
	prefix bool
	// spellings are words of the catalog that are written almost like it.
	spellings []string
}

// clause is what one chunk of a query asks for: all terms of at least one of its alternatives.
type clause [][]term

// clausesOf reads a query: everything but the last word must be whole in scripts that have words.
// Beginnings are found too, because people leave words unfinished; so each is a prefix.
func clausesOf(query string) []clause {
	var clauses []clause
	for chunk := range strings.FieldsSeq(fold(query)) {
		parts := strings.FieldsFunc(chunk, isMark)
		if len(parts) == 0 {
			continue
		}
		var all []term
		for _, part := range parts {
			for _, r := range runs(part) {
				all = append(all, r.terms()...)
			}
		}
		c := clause{all}
		if len(parts) > 1 && !hasDense(chunk) {
			c = append(c, []term{{word: clip(strings.Join(parts, ""), longestWord), prefix: true}})
		}
		clauses = append(clauses, c)
		if len(clauses) == wordsAsked {
			break
		}
	}
	return clauses
}

func (r run) terms() []term {
	if !r.dense {
		return []term{{word: clip(string(r.text), longestWord), prefix: true}}
	}
	if len(r.text) == 1 {
		return []term{{word: string(r.text), prefix: true}}
	}
	var terms []term
	for i := range len(r.text) - 1 {
		terms = append(terms, term{word: string(r.text[i : i+2])})
	}
	return terms
}

// matches reports whether a text of these words, each with a space before it, is asked for.
func matches(clauses []clause, words string) bool {
	for _, c := range clauses {
		if !slices.ContainsFunc(c, func(all []term) bool {
			for _, t := range all {
				if !t.in(words) {
					return false
				}
			}
			return true
		}) {
			return false
		}
	}
	return true
}

func (t term) in(words string) bool {
	if hasWord(words, t.word, t.prefix) {
		return true
	}
	return slices.ContainsFunc(t.spellings, func(s string) bool { return hasWord(words, s, false) })
}

// hasWord looks for a word in " a list of words".
func hasWord(words, word string, prefix bool) bool {
	for from := 0; ; {
		i := strings.Index(words[from:], word)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(word)
		if i > 0 && words[i-1] == ' ' && (prefix || end == len(words) || words[end] == ' ') {
			return true
		}
		from = i + 1
	}
}

// clauseUses is about how many rows a clause is found in: no more than its rarest term is.
func (v *vocabulary) clauseUses(c clause) int {
	total := 0
	for _, all := range c {
		least := math.MaxInt
		for _, t := range all {
			n := v.uses(t.word, t.prefix)
			for _, s := range t.spellings {
				n += v.uses(s, false)
			}
			least = min(least, n)
		}
		total += least
	}
	return total
}

// whole asks for the same words, unabridged.
func whole(clauses []clause) []clause {
	list := make([]clause, len(clauses))
	for i, c := range clauses {
		for _, all := range c {
			terms := slices.Clone(all)
			for j := range terms {
				terms[j].prefix = false
			}
			list[i] = append(list[i], terms)
		}
	}
	return list
}

// expression writes the query in the engine's own language.
func (d dialect) expression(clauses []clause) string {
	var ands []string
	for _, c := range clauses {
		var ors []string
		for _, all := range c {
			var inner []string
			for _, t := range all {
				any := []string{d.searchTerm(t.word, t.prefix)}
				for _, s := range t.spellings {
					any = append(any, d.searchTerm(s, false))
				}
				inner = append(inner, "("+strings.Join(any, d.searchOr)+")")
			}
			ors = append(ors, "("+strings.Join(inner, d.searchAnd)+")")
		}
		ands = append(ands, "("+strings.Join(ors, d.searchOr)+")")
	}
	return strings.Join(ands, d.searchAnd)
}
