package spool

import "slices"

// ranges is a set of bytes: disjoint, non-adjacent spans in ascending order.
type ranges []span

type span struct{ from, to int64 } // to is the first byte after it

// add adds from..to to the set.
func (r *ranges) add(from, to int64) {
	first := slices.IndexFunc(*r, func(s span) bool { return s.to >= from })
	if first < 0 {
		first = len(*r)
	}
	last := first
	for last < len(*r) && (*r)[last].from <= to {
		from, to = min(from, (*r)[last].from), max(to, (*r)[last].to)
		last++
	}
	*r = slices.Replace(*r, first, last, span{from, to})
}

// remove removes from..to from the set.
func (r *ranges) remove(from, to int64) {
	var left ranges
	for _, s := range *r {
		if s.from < min(s.to, from) {
			left = append(left, span{s.from, min(s.to, from)})
		}
		if max(s.from, to) < s.to {
			left = append(left, span{max(s.from, to), s.to})
		}
	}
	*r = left
}

// missing returns the first byte at or after off that is not in the set.
func (r ranges) missing(off int64) int64 {
	for _, s := range r {
		if off < s.from {
			return off
		}
		if off < s.to {
			return s.to
		}
	}
	return off
}
