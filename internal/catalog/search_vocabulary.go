package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"waxwing/internal/words"
)

// vocabulary is the sorted list of all indexed words with the approximate number of rows of each.
// It is stored in a few large blocks of memory.
type vocabulary struct {
	mu       sync.RWMutex
	revision int64 // at which it was complete
	songs    int64 // in the catalog when all uses were read
	last     int64 // number of the newest word
	text     []byte
	starts   []uint32         // offsets of the words in text, and its length
	before   []uint32         // uses of all words before each, and of all
	recent   []vocabularyWord // not yet in text

	limit    int64 // of words in memory
	remote   bool  // there are more: they stay in the database
	trigrams bool  // the database can find similar words
}

// vocabularyWord is a word with the number of rows that contain it.
type vocabularyWord struct {
	word string
	uses uint32
}

// recentWords is the number of recent words from which all are packed.
const recentWords = 20000

// load reads the new words if the catalog has changed. With thorough, it reads all words again when
// the catalog has grown so much that the uses are misleading.
func (v *vocabulary) load(ctx context.Context, q querier, view View, thorough bool) error {
	v.mu.RLock()
	last, revision, songs := v.last, v.revision, v.songs
	v.mu.RUnlock()
	if revision >= view.Revision {
		return nil
	}
	again := (thorough || revision == 0) && view.Songs > songs+songs/4+1000
	if again {
		last = 0
	}
	var newest int64
	added, err := collect(ctx, q, "read new words", func(rows *sql.Rows) (w vocabularyWord, err error) {
		var num int64
		err = rows.Scan(&num, &w.word, &w.uses)
		newest = max(newest, num)
		return w, err
	}, `SELECT num, word, uses FROM words WHERE num > $1`, last)
	if err != nil {
		return err
	}
	slices.SortFunc(added, func(a, b vocabularyWord) int { return strings.Compare(a.word, b.word) })
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.revision >= view.Revision {
		return nil // another call was faster
	}
	v.revision, v.last = view.Revision, max(v.last, newest)
	if again {
		v.songs, v.text, v.starts, v.before, v.recent = view.Songs, nil, nil, nil, nil
	}
	v.recent = merge(v.recent, added)
	if again || len(v.recent) > recentWords {
		v.pack()
	}
	return nil
}

// merge joins two sorted lists. If both contain a word, that of b is used.
func merge(a, b []vocabularyWord) []vocabularyWord {
	joined := append(slices.Clone(b), a...)
	slices.SortStableFunc(joined, func(a, b vocabularyWord) int { return strings.Compare(a.word, b.word) })
	return slices.CompactFunc(joined, func(a, b vocabularyWord) bool { return a.word == b.word })
}

// pack moves the recent words into the large blocks. The mutex is held.
func (v *vocabulary) pack() {
	size := len(v.text)
	for _, w := range v.recent {
		size += len(w.word)
	}
	text := make([]byte, 0, size)
	starts := make([]uint32, 0, v.count()+len(v.recent)+1)
	before := make([]uint32, 0, cap(starts))
	var sum uint32
	add := func(word []byte, uses uint32) {
		starts, before = append(starts, uint32(len(text))), append(before, sum)
		text = append(text, word...)
		sum += uses
	}
	i, n := 0, v.count()
	for _, w := range v.recent {
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
	v.text, v.recent = text, nil
	v.starts, v.before = append(starts, uint32(len(text))), append(before, sum)
}

func (v *vocabulary) count() int {
	if len(v.starts) == 0 {
		return 0
	}
	return len(v.starts) - 1
}

func (v *vocabulary) at(i int) []byte { return v.text[v.starts[i]:v.starts[i+1]] }

// uses estimates how many rows contain the word, or one that begins with it.
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
	from := sort.Search(len(v.recent), func(i int) bool { return v.recent[i].word >= word })
	for ; from < len(v.recent) && v.recent[from].word < end; from++ {
		total += int(v.recent[from].uses)
	}
	return total
}

// suggest returns indexed words that are spelled almost like word, the nearest first.
func (v *vocabulary) suggest(word string, prefix bool) []string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return words.Suggest(word, prefix, words.List{Len: v.count(), At: v.at},
		words.List{Len: len(v.recent), At: func(i int) []byte { return []byte(v.recent[i].word) }})
}

// addWords adds words to the vocabulary.
func (t *tx) addWords(ctx context.Context, uses map[string]int) error {
	rows := make([][]any, 0, len(uses))
	for _, word := range sortedKeys(uses) {
		rows = append(rows, []any{word, uses[word]})
	}
	if err := t.insertMany(ctx, "add words", "words", "word, uses", rows,
		`ON CONFLICT (word) DO UPDATE SET uses = words.uses + excluded.uses`); err != nil {
		return fmt.Errorf("add words: %w", err)
	}
	return nil
}
