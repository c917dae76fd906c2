package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"waxwing/internal/words"
)

// A vocabulary is held in memory, because that finds every near word, in 0.2 to 3 ms at 74,000
// words, and the same ones on both engines; PostgreSQL's trigrams take as long and miss short words.
// But each server of a very large catalog would hold all of it. Past wordsInMemory the words stay in
// PostgreSQL, and a query fetches those that it may be about: by their beginnings, and by pg_trgm
// where that is installed. Without it, a misspelled word must begin with two right letters.

const (
	wordsInMemory = 1_000_000
	prefixLimit   = 5000 // words of one beginning that are fetched
	similarLimit  = 1000 // words near a misspelled one, likewise
)

// checkRemote notes whether the vocabulary is left in the database, if it is time to look. It is false
// on engines that do not say how many words there are.
func (v *vocabulary) checkRemote(ctx context.Context, q querier, d dialect, view View) (bool, error) {
	if d.wordCountSQL == "" {
		return false, nil
	}
	v.mu.RLock()
	far, known, limit := v.far, v.known, v.limit
	v.mu.RUnlock()
	if known >= view.Revision {
		return far, nil
	}
	var words int64
	var trigrams bool
	if err := q.QueryRowContext(ctx, d.wordCountSQL).Scan(&words, &trigrams); err != nil {
		return false, fmt.Errorf("count the words: %w", err)
	}
	far = words >= limit
	v.mu.Lock()
	defer v.mu.Unlock()
	v.far, v.trigrams = far, trigrams
	if far {
		v.known, v.last, v.songs = view.Revision, 0, 0
		v.text, v.starts, v.before, v.late = nil, nil, nil, nil
	}
	return far, nil
}

// vocabularyFor is the vocabulary by which a query is understood.
func (s *Store) vocabularyFor(ctx context.Context, clauses []words.Clause) (*vocabulary, error) {
	all := &s.search.vocabulary
	far, err := all.checkRemote(ctx, s.read, s.d, s.View())
	if err != nil {
		return nil, err
	}
	if !far {
		return all, all.learn(ctx, s.read, s.View(), false)
	}
	return s.fetchWords(ctx, clauses, func(t words.Term) (string, []any, int) {
		return `SELECT word, uses FROM words WHERE word >= $1 AND word < $2 ORDER BY word LIMIT ` + fmt.Sprint(prefixLimit), []any{t.Word, after(t.Word)}, prefixLimit
	})
}

// similarVocabulary is a vocabulary that has what the words of a query may be misspellings of.
func (s *Store) similarVocabulary(ctx context.Context, known *vocabulary, clauses []words.Clause) (*vocabulary, error) {
	if all := &s.search.vocabulary; known == all {
		return all, nil
	}
	s.search.vocabulary.mu.RLock()
	trigrams := s.search.vocabulary.trigrams
	s.search.vocabulary.mu.RUnlock()
	near, err := s.fetchWords(ctx, clauses, func(t words.Term) (string, []any, int) {
		if trigrams {
			return `SELECT word, uses FROM words WHERE word % $1 ORDER BY similarity(word, $1) DESC, word LIMIT ` + fmt.Sprint(similarLimit), []any{t.Word}, 0
		}
		first := words.Clip(t.Word, 2)
		return `SELECT word, uses FROM words WHERE word >= $1 AND word < $2 ORDER BY word LIMIT ` + fmt.Sprint(20*similarLimit), []any{first, after(first)}, 0
	})
	if err != nil {
		return nil, err
	}
	near.late = merge(known.late, near.late)
	return near, nil
}

// after is what follows every word that begins with word.
func after(word string) string { return word + "\U0010FFFF" }

// fetchWords asks for words for each term of a query. Where whole rows were asked for and came,
// the last one stands for all that were left.
func (s *Store) fetchWords(ctx context.Context, clauses []words.Clause, ask func(words.Term) (query string, args []any, whole int)) (*vocabulary, error) {
	fetched := &vocabulary{}
	for _, c := range clauses {
		for _, all := range c {
			for _, t := range all {
				query, args, whole := ask(t)
				found, err := collect(ctx, s.read, "fetch words", func(rows *sql.Rows) (w vocabularyWord, err error) {
					return w, rows.Scan(&w.word, &w.uses)
				}, query, args...)
				if err != nil {
					return nil, err
				}
				if n := len(found); n > 0 && n == whole {
					found[n-1].uses += rareUses + 1
				}
				slices.SortFunc(found, func(a, b vocabularyWord) int { return strings.Compare(a.word, b.word) })
				fetched.late = merge(fetched.late, found)
			}
		}
	}
	return fetched, nil
}
