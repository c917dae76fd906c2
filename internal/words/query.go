package words

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Term is one token of a query. It matches itself, its spellings and, with Prefix, every token that
// begins with it.
type Term struct {
	Word   string
	Prefix bool
	// Spellings are indexed tokens that are spelled almost like Word.
	Spellings []string
}

// Clause is one word of a query: it matches where all terms of at least one alternative match.
type Clause [][]Term

// ParseQuery splits a query into clauses, all of which must match. Words may be incomplete, so each
// is a prefix, except in scripts without spaces. The caller limits the number of terms: one word
// with punctuation, or without spaces, has many.
func ParseQuery(query string) []Clause {
	var clauses []Clause
	for word := range strings.FieldsSeq(Fold(query)) {
		parts := strings.FieldsFunc(word, isPunctuation)
		if len(parts) == 0 {
			continue
		}
		var all []Term
		for _, part := range parts {
			for _, r := range runsOf(part) {
				all = r.appendTerms(all)
			}
		}
		c := Clause{all}
		if len(parts) > 1 && !hasDense(word) {
			c = append(c, []Term{{Word: Clip(strings.Join(parts, ""), longestToken), Prefix: true}})
		}
		clauses = append(clauses, c)
	}
	return clauses
}

// CountTerms returns the number of terms of a query.
func CountTerms(clauses []Clause) (n int) {
	for _, c := range clauses {
		for _, all := range c {
			n += len(all)
		}
	}
	return n
}

func (r run) appendTerms(terms []Term) []Term {
	if !r.dense {
		return append(terms, Term{Word: Clip(r.text, longestToken), Prefix: true})
	}
	if utf8.RuneCountInString(r.text) == 1 {
		return append(terms, Term{Word: r.text, Prefix: true})
	}
	r.eachToken(func(token string) {
		if utf8.RuneCountInString(token) == 2 {
			terms = append(terms, Term{Word: token})
		}
	})
	return terms
}

// WholeWords returns the clauses without prefix matching.
func WholeWords(clauses []Clause) []Clause {
	list := make([]Clause, len(clauses))
	for i, c := range clauses {
		for _, all := range c {
			terms := slices.Clone(all)
			for j := range terms {
				terms[j].Prefix = false
			}
			list[i] = append(list[i], terms)
		}
	}
	return list
}

// Spaced joins tokens with a space before each, the form that Match reads.
func Spaced(tokens []string) string {
	if len(tokens) == 0 {
		return ""
	}
	return " " + strings.Join(tokens, " ")
}

// Match reports whether spaced tokens match all clauses.
func Match(clauses []Clause, spaced string) bool {
	for _, c := range clauses {
		if !slices.ContainsFunc(c, func(all []Term) bool {
			return !slices.ContainsFunc(all, func(t Term) bool { return !t.matches(spaced) })
		}) {
			return false
		}
	}
	return true
}

func (t Term) matches(spaced string) bool {
	return hasToken(spaced, t.Word, t.Prefix) ||
		slices.ContainsFunc(t.Spellings, func(s string) bool { return hasToken(spaced, s, false) })
}

// hasToken searches spaced tokens for a token, or for one that begins with it.
func hasToken(spaced, token string, prefix bool) bool {
	for from := 0; ; {
		i := strings.Index(spaced[from:], token)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(token)
		if i > 0 && spaced[i-1] == ' ' && (prefix || end == len(spaced) || spaced[end] == ' ') {
			return true
		}
		from = i + 1
	}
}
