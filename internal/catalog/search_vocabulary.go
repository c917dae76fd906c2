package catalog

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
)

// vocabulary is every word that was ever indexed, sorted, in few blocks of memory, and about how
// many rows have it.
type vocabulary struct {
	mu     sync.RWMutex
	known  int64 // revision of the catalog at which it was complete
	songs  int64 // in the catalog when all uses were counted
	last   int64 // number of the newest word that is in it
	text   []byte
	starts []uint32 // where each word of text begins; one more at the end
	before []uint32 // uses of all words before each; one more at the end
	late   []lateWord

	limit    int64 // of words that are held here
	far      bool  // they are more, and stay in the database
	trigrams bool  // which can find near ones by their trigrams
}

// lateWord came after all were sorted.
type lateWord struct {
	word string
	uses uint32
}

const (
	lateWords    = 20000 // how many may come before all are sorted again
	mostMeanings = 12    // that a misspelled word may have
)

// learn reads the words that are new since the last time, if the catalog is. A thorough one reads
// all of them again when the catalog has grown so much that the uses mislead.
func (v *vocabulary) learn(ctx context.Context, q querier, view View, thorough bool) error {
	v.mu.RLock()
	last, known, songs := v.last, v.known, v.songs
	v.mu.RUnlock()
	if known >= view.Revision {
		return nil
	}
	again := (thorough || known == 0) && view.Songs > songs+songs/4+1000
	if again {
		last = 0
	}
	var newest int64
	fresh, err := collect(ctx, q, "read new words", func(rows *sql.Rows) (w lateWord, err error) {
		var num int64
		err = rows.Scan(&num, &w.word, &w.uses)
		newest = max(newest, num)
		return w, err
	}, `SELECT num, word, uses FROM words WHERE num > $1`, last)
	if err != nil {
		return err
	}
	slices.SortFunc(fresh, func(a, b lateWord) int { return strings.Compare(a.word, b.word) })
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known >= view.Revision {
		return nil // somebody else was faster
	}
	v.known, v.last = view.Revision, max(v.last, newest)
	if again {
		v.songs, v.text, v.starts, v.before, v.late = view.Songs, nil, nil, nil, nil
	}
	v.late = merge(v.late, fresh)
	if again || len(v.late) > lateWords {
		v.pack()
	}
	return nil
}

// merge joins two sorted lists; of a word in both, the second is right.
func merge(a, b []lateWord) []lateWord {
	joined := append(slices.Clone(b), a...)
	slices.SortStableFunc(joined, func(a, b lateWord) int { return strings.Compare(a.word, b.word) })
	return slices.CompactFunc(joined, func(a, b lateWord) bool { return a.word == b.word })
}

// pack moves all late words into the large blocks. The mutex is held.
func (v *vocabulary) pack() {
	size := len(v.text)
	for _, w := range v.late {
		size += len(w.word)
	}
	text := make([]byte, 0, size)
	starts := make([]uint32, 0, v.count()+len(v.late)+1)
	before := make([]uint32, 0, cap(starts))
	var sum uint32
	add := func(word []byte, uses uint32) {
		starts, before = append(starts, uint32(len(text))), append(before, sum)
		text = append(text, word...)
		sum += uses
	}
	i, n := 0, v.count()
	for _, w := range v.late {
		for ; i < n && string(v.at(i)) < w.word; i++ {
			add(v.at(i), v.before[i+1]-v.before[i])
		}
		if i < n && string(v.at(i)) == w.word {
			i++
		}
		add([]byte(w.word), w.uses)
	}
	for ; i < n; i++ {
		add(v.at(i), v.before[i+1]-v.before[i])
	}
	v.text, v.late = text, nil
	v.starts, v.before = append(starts, uint32(len(text))), append(before, sum)
}

func (v *vocabulary) count() int {
	if len(v.starts) == 0 {
		return 0
	}
	return len(v.starts) - 1
}

func (v *vocabulary) at(i int) []byte { return v.text[v.starts[i]:v.starts[i+1]] }

// uses is about how many rows have the word, or one that begins with it.
func (v *vocabulary) uses(word string, prefix bool) int {
	v.mu.RLock()
	defer v.mu.RUnlock()
	end := word + "\xff"
	if !prefix {
		end = word + "\x00"
	}
	n := v.count()
	total := 0
	if n > 0 {
		from := sort.Search(n, func(i int) bool { return string(v.at(i)) >= word })
		to := from + sort.Search(n-from, func(i int) bool { return string(v.at(from+i)) >= end })
		total = int(v.before[to] - v.before[from])
	}
	from := sort.Search(len(v.late), func(i int) bool { return v.late[i].word >= word })
	for ; from < len(v.late) && v.late[from].word < end; from++ {
		total += int(v.late[from].uses)
	}
	return total
}

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
	found = walk.search(found, len(v.late), func(i int) []byte { return []byte(v.late[i].word) })
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
		size, ok := s.advance(word)
		if !ok { // no word with these first letters can match
			i = pastBeginning(word[:size], i+1, n, at)
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

// pastBeginning is the first of the sorted words from i on that does not begin so. Most beginnings
// are those of few words, so it looks near by first.
func pastBeginning(beginning []byte, i, n int, at func(int) []byte) int {
	step := 1
	for i+step < n && bytes.HasPrefix(at(i+step), beginning) {
		step *= 2
	}
	from := i + step/2
	return from + sort.Search(min(i+step, n)-from, func(k int) bool { return !bytes.HasPrefix(at(from+k), beginning) })
}

// advance makes word the present one. It is false when the letters in the first bytes rule the word out.
func (s *spelling) advance(word []byte) (size int, ok bool) {
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
func (t *tx) putWords(ctx context.Context, uses map[string]int) error {
	rows := make([][]any, 0, len(uses))
	for _, word := range sortedKeys(uses) {
		rows = append(rows, []any{word, uses[word]})
	}
	if err := t.insertMany(ctx, "put words", "words", "word, uses", rows,
		`ON CONFLICT (word) DO UPDATE SET uses = words.uses + excluded.uses`); err != nil {
		return fmt.Errorf("remember words: %w", err)
	}
	return nil
}
