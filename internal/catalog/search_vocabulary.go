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
	late   []vocabularyWord

	limit    int64 // of words that are held here
	far      bool  // they are more, and stay in the database
	trigrams bool  // which can find near ones by their trigrams
}

// vocabularyWord came after all were sorted.
type vocabularyWord struct {
	word string
	uses uint32
}

// recentWords is how many words may arrive before all are sorted again.
const recentWords = 20000

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
	fresh, err := collect(ctx, q, "read new words", func(rows *sql.Rows) (w vocabularyWord, err error) {
		var num int64
		err = rows.Scan(&num, &w.word, &w.uses)
		newest = max(newest, num)
		return w, err
	}, `SELECT num, word, uses FROM words WHERE num > $1`, last)
	if err != nil {
		return err
	}
	slices.SortFunc(fresh, func(a, b vocabularyWord) int { return strings.Compare(a.word, b.word) })
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
	if again || len(v.late) > recentWords {
		v.pack()
	}
	return nil
}

// merge joins two sorted lists; of a word in both, the second is right.
func merge(a, b []vocabularyWord) []vocabularyWord {
	joined := append(slices.Clone(b), a...)
	slices.SortStableFunc(joined, func(a, b vocabularyWord) int { return strings.Compare(a.word, b.word) })
	return slices.CompactFunc(joined, func(a, b vocabularyWord) bool { return a.word == b.word })
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

// suggest returns indexed words that are spelled almost like word, the nearest first.
func (v *vocabulary) suggest(word string, prefix bool) []string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return words.Suggest(word, prefix, words.List{Len: v.count(), At: v.at},
		words.List{Len: len(v.late), At: func(i int) []byte { return []byte(v.late[i].word) }})
}

// addWords remembers words for those who will misspell them.
func (t *tx) addWords(ctx context.Context, uses map[string]int) error {
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
