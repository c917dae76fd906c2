package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sort"
	"sync"
	"unicode/utf8"
)

// vocabulary is every word that was ever indexed, sorted, in two blocks of memory: a small one for
// words that came lately and a large one for the rest.
type vocabulary struct {
	mu     sync.RWMutex
	known  int64 // revision of the catalog at which it was complete
	last   int64 // number of the newest word that is in it
	text   []byte
	starts []uint32 // where each word of text begins; one more at the end
	late   []string // sorted
}

const (
	lateWords    = 20000 // how many may come before all are sorted again
	mostMeanings = 24    // that a misspelled word may have
)

// learn reads the words that are new since the last time, if the catalog is.
func (v *vocabulary) learn(ctx context.Context, q querier, revision int64) error {
	v.mu.RLock()
	last, known := v.last, v.known
	v.mu.RUnlock()
	if known >= revision {
		return nil
	}
	type numbered struct {
		num  int64
		word string
	}
	fresh, err := collect(ctx, q, "read new words", func(rows *sql.Rows) (n numbered, err error) {
		return n, rows.Scan(&n.num, &n.word)
	}, `SELECT num, word FROM words WHERE num > $1`, last)
	if err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.known = max(v.known, revision)
	if len(fresh) == 0 {
		return nil
	}
	for _, n := range fresh {
		v.last = max(v.last, n.num)
		v.late = append(v.late, n.word)
	}
	slices.Sort(v.late)
	v.late = slices.Compact(v.late)
	if len(v.late) > lateWords {
		v.pack()
	}
	return nil
}

// pack moves all late words into the large block. The mutex is held.
func (v *vocabulary) pack() {
	size := len(v.text)
	for _, w := range v.late {
		size += len(w)
	}
	text := make([]byte, 0, size)
	starts := make([]uint32, 0, v.count()+len(v.late)+1)
	i, n := 0, v.count()
	for _, w := range v.late {
		for ; i < n && string(v.at(i)) < w; i++ {
			starts = append(starts, uint32(len(text)))
			text = append(text, v.at(i)...)
		}
		if i < n && string(v.at(i)) == w {
			continue
		}
		starts = append(starts, uint32(len(text)))
		text = append(text, w...)
	}
	for ; i < n; i++ {
		starts = append(starts, uint32(len(text)))
		text = append(text, v.at(i)...)
	}
	v.text, v.starts, v.late = text, append(starts, uint32(len(text))), nil
}

func (v *vocabulary) count() int {
	if len(v.starts) == 0 {
		return 0
	}
	return len(v.starts) - 1
}

func (v *vocabulary) at(i int) []byte { return v.text[v.starts[i]:v.starts[i+1]] }

// edits is how many letters of a word may be wrong.
func edits(word string) int {
	switch n := utf8.RuneCountInString(word); {
	case n < 3:
		return 0
	case n < 8:
		return 1
	}
	return 2
}

// meanings returns words that are written almost like word, the nearest first. With prefix a
// word counts if some beginning of it is. Words of dense scripts have none.
func (v *vocabulary) meanings(word string, prefix bool) []string {
	allowed := edits(word)
	if allowed == 0 || hasDense(word) {
		return nil
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	var found []meaning
	walk := newSpelling(word, allowed, prefix)
	found = walk.search(found, v.count(), v.at)
	walk = newSpelling(word, allowed, prefix)
	found = walk.search(found, len(v.late), func(i int) []byte { return []byte(v.late[i]) })
	slices.SortFunc(found, func(a, b meaning) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		if len(a.word) != len(b.word) {
			return len(a.word) - len(b.word)
		}
		if a.word < b.word {
			return -1
		}
		return 1
	})
	found = slices.Compact(found)
	var words []string
	for _, m := range found[:min(len(found), mostMeanings)] {
		words = append(words, m.word)
	}
	return words
}

type meaning struct {
	word     string
	distance int
}

// spelling walks a sorted list of words as if it were a tree of letters: the table of edit
// distances is kept for each letter of the present word, words with the same beginning share its
// rows, and where a beginning is too far off already, all words with it are skipped.
type spelling struct {
	target  []rune
	allowed int
	prefix  bool
	letters []rune  // of the present word
	rows    [][]int // rows[i] are the distances after i letters
	best    []int   // best[i] is the least distance of a whole target within the first i letters
}

func newSpelling(word string, allowed int, prefix bool) *spelling {
	s := &spelling{target: []rune(word), allowed: allowed, prefix: prefix}
	first := make([]int, len(s.target)+1)
	for i := range first {
		first[i] = i
	}
	s.rows = [][]int{first}
	s.best = []int{first[len(first)-1]}
	return s
}

func (s *spelling) search(found []meaning, n int, at func(int) []byte) []meaning {
	for i := 0; i < n; {
		word := at(i)
		depth, ok := s.advance(word)
		if !ok { // no word with these first letters can match
			stop := append([]byte(string(s.letters[:depth])), 0xff)
			i += 1 + sort.Search(n-i-1, func(k int) bool { return string(at(i+1+k)) > string(stop) })
			continue
		}
		distance := s.rows[len(s.letters)][len(s.target)]
		if s.prefix {
			distance = s.best[len(s.letters)]
		}
		if distance <= s.allowed && string(word) != string(s.target) {
			found = append(found, meaning{string(word), distance})
		}
		i++
	}
	return found
}

// advance makes word the present one. It is false when the first depth letters rule the word out.
func (s *spelling) advance(word []byte) (depth int, ok bool) {
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
			return len(s.letters), false
		}
	}
	return len(s.letters), true
}

// addRow extends the table by one letter and returns the least distance in the new row. Two
// neighbours in the wrong order count as one edit.
func (s *spelling) addRow(r rune) (least int) {
	n := len(s.letters)
	above := s.rows[n-1]
	var row []int
	if cap(s.rows) > n && len(s.rows) == n { // use what an earlier word left there
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

// putWords remembers words for those who will misspell them.
func (t *tx) putWords(ctx context.Context, words map[string]bool) error {
	rows := make([][]any, 0, len(words))
	for _, word := range sortedKeys(words) {
		if !hasDense(word) {
			rows = append(rows, []any{word})
		}
	}
	if err := t.insertMany(ctx, "put words", `INSERT INTO words (word) VALUES`, rows, `ON CONFLICT (word) DO NOTHING`); err != nil {
		return fmt.Errorf("remember words: %w", err)
	}
	return nil
}
