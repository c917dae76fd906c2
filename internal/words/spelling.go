package words

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"unicode/utf8"
)

// mostSuggestions is how many spellings a misspelled word may have.
const mostSuggestions = 12

// List is a sorted list of tokens.
type List struct {
	Len int
	At  func(int) []byte
}

// Suggest returns the tokens of the lists that are spelled almost like word, the nearest first.
// With prefix, a token counts if a prefix of it is spelled almost like word. Words of up to two
// letters and of dense scripts have no suggestions.
func Suggest(word string, prefix bool, lists ...List) []string {
	allowed := allowedEdits(word)
	if allowed == 0 || hasDense(word) {
		return nil
	}
	var found []suggestion
	for _, list := range lists {
		found = newSpeller(word, allowed, prefix).search(found, list)
	}
	slices.SortFunc(found, func(a, b suggestion) int {
		return cmp.Or(a.distance-b.distance, len(a.word)-len(b.word), cmp.Compare(a.word, b.word))
	})
	found = slices.Compact(found)
	var words []string
	for _, s := range found[:min(len(found), mostSuggestions)] {
		words = append(words, s.word)
	}
	return words
}

// allowedEdits is how many edits a word may be from what the listener meant.
func allowedEdits(word string) int {
	switch n := utf8.RuneCountInString(word); {
	case n < 3:
		return 0
	case n < 8:
		return 1
	}
	return 2
}

type suggestion struct {
	word     string
	distance int
}

// speller walks a sorted list as if it were a trie: tokens with a common prefix share the rows of
// the edit distance table, and where a prefix exceeds the allowed distance, all tokens with it are
// skipped.
type speller struct {
	target  []rune
	allowed int
	prefix  bool
	letters []rune  // of the current token
	rows    [][]int // rows[i] are the distances after i letters
	best    []int   // best[i] is the least distance of the whole target to a prefix of up to i letters
}

func newSpeller(word string, allowed int, prefix bool) *speller {
	s := &speller{target: []rune(word), allowed: allowed, prefix: prefix}
	first := make([]int, len(s.target)+1)
	for i := range first {
		first[i] = i
	}
	s.rows = [][]int{first}
	s.best = []int{first[len(first)-1]}
	return s
}

func (s *speller) search(found []suggestion, list List) []suggestion {
	for i := 0; i < list.Len; {
		word := list.At(i)
		size, ok := s.advance(word)
		if !ok {
			i = list.skipPrefix(word[:size], i+1)
			continue
		}
		distance := s.rows[len(s.letters)][len(s.target)]
		if s.prefix {
			distance = s.best[len(s.letters)]
		}
		if distance <= s.allowed && string(word) != string(s.target) {
			found = append(found, suggestion{string(word), distance})
		}
		i++
	}
	return found
}

// skipPrefix returns the index of the first token from i on that does not have the prefix. Most
// prefixes have few tokens, so it doubles its steps before it halves them.
func (l List) skipPrefix(prefix []byte, i int) int {
	step := 1
	for i+step < l.Len && bytes.HasPrefix(l.At(i+step), prefix) {
		step *= 2
	}
	from := i + step/2
	return from + sort.Search(min(i+step, l.Len)-from, func(k int) bool { return !bytes.HasPrefix(l.At(from+k), prefix) })
}

// advance makes word the current token. It returns false when the first size bytes rule it out.
func (s *speller) advance(word []byte) (size int, ok bool) {
	shared := 0
	position := 0
	for position < len(word) && shared < len(s.letters) {
		r, size := utf8.DecodeRune(word[position:])
		if r != s.letters[shared] {
			break
		}
		shared++
		position += size
	}
	s.letters, s.rows, s.best = s.letters[:shared], s.rows[:shared+1], s.best[:shared+1]
	for position < len(word) {
		r, size := utf8.DecodeRune(word[position:])
		position += size
		s.letters = append(s.letters, r)
		if least := s.addRow(r); least > s.allowed && !(s.prefix && s.best[len(s.best)-1] <= s.allowed) {
			return position, false
		}
	}
	return position, true
}

// addRow extends the table by one letter and returns the least distance in the new row. Two
// neighbouring letters in the wrong order count as one edit.
func (s *speller) addRow(r rune) (least int) {
	n := len(s.letters)
	above := s.rows[n-1]
	var row []int
	if cap(s.rows) > n && len(s.rows) == n { // reuse the row of an earlier token
		row = s.rows[:n+1][n]
	}
	if len(row) != len(above) {
		row = make([]int, len(above))
	}
	row[0] = above[0] + 1
	least = row[0]
	for j := 1; j < len(row); j++ {
		cost := 1
		if s.target[j-1] == r {
			cost = 0
		}
		d := min(above[j]+1, row[j-1]+1, above[j-1]+cost)
		if n > 1 && j > 1 && s.target[j-1] == s.letters[n-2] && s.target[j-2] == r {
			d = min(d, s.rows[n-2][j-2]+1)
		}
		row[j] = d
		least = min(least, d)
	}
	s.rows = append(s.rows, row)
	s.best = append(s.best, min(s.best[n-1], row[len(row)-1]))
	return least
}
