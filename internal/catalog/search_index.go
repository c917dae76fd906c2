package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// indexed is a row of a kind and the words it is found by.
type indexed struct {
	num   int64
	words []string
}

// spaced writes words each with a space before it, as matches reads them.
func spaced(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, " ")
}

// index writes what rows are found by; what they were found by before is forgotten.
func (t *tx) index(ctx context.Context, kind searchKind, known []int64, rows []indexed) error {
	if len(known) > 0 {
		if _, err := t.ExecContext(ctx, `DELETE FROM `+kind.table+` WHERE rowid IN (`+in(1, len(known))+`)`, anys(known)...); err != nil {
			return fmt.Errorf("forget words in %s: %w", kind.table, err)
		}
	}
	// SQLite gathers words in memory for as long as the numbers ascend.
	slices.SortFunc(rows, func(a, b indexed) int { return cmp.Compare(a.num, b.num) })
	uses := make(map[string]int)
	params := make([][]any, 0, len(rows))
	for _, row := range rows {
		for _, word := range row.words {
			uses[word]++
		}
		params = append(params, []any{row.num, spaced(row.words)})
	}
	if err := t.each(ctx, "index words in "+kind.table, t.d.indexSQL(kind.table), params); err != nil {
		return err
	}
	return t.putWords(ctx, uses)
}

// lexicon remembers the words of texts within a batch: many songs name the same artist and album.
type lexicon map[string][]string

// words is wordsOf.
func (l lexicon) words(texts ...string) []string {
	var all []string
	for _, text := range texts {
		words, known := l[text]
		if !known {
			words = wordsOf(text)
			l[text] = words
		}
		for _, word := range words {
			if len(all) < wordsPerText && !slices.Contains(all, word) {
				all = append(all, word)
			}
		}
	}
	return all
}

// index writes what the songs of the batch, and its new artists and albums, are found by.
func (p *put) index(ctx context.Context) error {
	known := make(lexicon)
	songs := make([]indexed, len(p.tags))
	for i := range p.tags {
		tag := &p.tags[i]
		texts := []string{tag.Title, tag.Artist}
		if tag.Album != nil {
			texts = append(texts, tag.Album.Title)
		}
		songs[i] = indexed{p.nums[i], known.words(texts...)}
	}
	if err := p.t.index(ctx, songSearch, sortedKeys(p.old), songs); err != nil {
		return err
	}
	var artists []indexed
	for _, a := range p.artists.fresh {
		artists = append(artists, indexed{a.num, known.words(a.Name)})
	}
	if err := p.t.index(ctx, artistSearch, nil, artists); err != nil {
		return err
	}
	var albums []indexed
	var renamed []int64
	for _, key := range sortedKeys(p.albums.byKey) {
		a := p.albums.byKey[key]
		if !a.renamed {
			continue
		}
		if !a.fresh {
			renamed = append(renamed, a.num)
		}
		albums = append(albums, indexed{a.num, known.words(a.tag.Title, a.artist)})
	}
	return p.t.index(ctx, albumSearch, renamed, albums)
}
