package catalog

import (
	"math"
	"strings"

	"waxwing/internal/words"
)

// clauseUses estimates how many rows a clause matches: as many as its rarest term.
func (v *vocabulary) clauseUses(c words.Clause) int {
	total := 0
	for _, all := range c {
		least := math.MaxInt
		for _, t := range all {
			n := v.uses(t.Word, t.Prefix)
			for _, s := range t.Spellings {
				n += v.uses(s, false)
			}
			least = min(least, n)
		}
		total += least
	}
	return total
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
