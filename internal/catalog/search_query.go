package catalog

import (
	"math"
	"slices"
	"strings"

	"waxwing/internal/words"
)

// clauseUses estimates how many rows a clause matches: as many as its rarest term.
func (v *vocabulary) clauseUses(c words.Clause) int {
	total := 0
	for _, all := range c {
		least := math.MaxInt
		for _, t := range all {
			least = min(least, v.termUses(t))
		}
		total += least
	}
	return total
}

// termUses estimates how many rows a term matches.
func (v *vocabulary) termUses(t words.Term) int {
	n := v.uses(t.Word, t.Prefix)
	for _, s := range t.Spellings {
		n += v.uses(s, false)
	}
	return n
}

// countedClause is a clause with the number of rows that it matches.
type countedClause struct {
	words.Clause
	uses int
}

// rarest returns at most n clauses, the rarest first.
func (v *vocabulary) rarest(clauses []words.Clause, n int) []countedClause {
	counted := make([]countedClause, len(clauses))
	for i, c := range clauses {
		counted[i] = countedClause{c, v.clauseUses(c)}
	}
	slices.SortStableFunc(counted, func(a, b countedClause) int { return a.uses - b.uses })
	return counted[:min(n, len(counted))]
}

// indexed returns the clauses to search for in the index, with at most narrowTerms terms for each
// alternative, and how many rows to read at most. all reports that rows which match the clauses
// match the whole query.
func (q *searchQuery) indexed() (wanted []words.Clause, most int, all bool) {
	const mostWholeWords = 8
	all, most = true, mostCandidates
	add := func(c words.Clause) {
		narrow, whole := q.words.narrow(c)
		wanted, all = append(wanted, narrow), all && whole
	}
	rare := q.words.rarest(q.meant, 2)
	for i, c := range rare {
		if c.uses <= rareUses && (i == 0 || rare[0].uses > fewUses) {
			add(c.Clause)
		}
	}
	if !all {
		most = rareUses // the part that is not searched for may be in old rows only
	}
	all = all && len(wanted) == len(q.meant)
	if len(wanted) == 0 {
		for _, c := range q.words.rarest(words.WholeWords(q.meant), mostWholeWords) {
			add(c.Clause)
		}
		all = false
	}
	return wanted, most, all
}

// narrowTerms is the number of terms of an alternative that are searched for in the index.
const narrowTerms = 2

// narrow returns the rarest terms of each alternative of a clause, the first even if it is not
// rare. A frequent prefix is left out: the index reads all of its rows, however rare the other term
// is. whole reports that nothing was left out.
func (v *vocabulary) narrow(c words.Clause) (narrow words.Clause, whole bool) {
	whole = true
	for _, all := range c {
		terms := all
		if len(all) >= narrowTerms {
			uses := make(map[string]int, len(all))
			for _, t := range all {
				uses[t.Word] = v.termUses(t)
			}
			terms = slices.Clone(all)
			slices.SortStableFunc(terms, func(a, b words.Term) int { return uses[a.Word] - uses[b.Word] })
			terms = terms[:narrowTerms]
			if second := terms[1]; second.Prefix && uses[second.Word] > rareUses {
				terms = terms[:1]
			}
		}
		narrow, whole = append(narrow, terms), whole && len(terms) == len(all)
	}
	return narrow, whole
}

// expression writes a query in the full-text syntax of the engine.
func (d dialect) expression(clauses []words.Clause) string {
	var ands []string
	for _, c := range clauses {
		var ors []string
		for _, all := range c {
			var inner []string
			for _, t := range all {
				any := []string{d.searchTerm(t.Word, t.Prefix)}
				for _, s := range t.Spellings {
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
