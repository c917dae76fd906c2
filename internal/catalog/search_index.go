package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"waxwing/internal/words"
)

// indexed is a row with its tokens.
type indexed struct {
	num   int64
	words []string
}

// indexing lists rows of a kind to index. known are the numbers of rows that are already indexed.
type indexing struct {
	kind  searchKind
	known []int64
	rows  []indexed
}

// index writes the tokens of rows of one kind.
func (t *tx) index(ctx context.Context, kind searchKind, known []int64, rows []indexed) error {
	return t.indexAll(ctx, indexing{kind, known, rows})
}

// indexAll writes the tokens of rows of several kinds.
func (t *tx) indexAll(ctx context.Context, list ...indexing) error {
	uses := make(map[string]int)
	for _, x := range list {
		if len(x.known) > 0 {
			_, err := t.ExecContext(ctx,
				`DELETE FROM `+x.kind.table+` WHERE rowid IN (`+in(1, len(x.known))+`)`, anySlice(x.known)...)
			if err != nil {
				return fmt.Errorf("delete tokens from %s: %w", x.kind.table, err)
			}
		}
		// SQLite collects tokens in memory while the numbers ascend.
		slices.SortFunc(x.rows, func(a, b indexed) int { return cmp.Compare(a.num, b.num) })
		params := make([][]any, 0, len(x.rows))
		for _, row := range x.rows {
			for _, word := range row.words {
				uses[word]++
			}
			params = append(params, []any{row.num, words.Spaced(row.words)})
		}
		if err := t.putIndex(ctx, x.kind.table, params); err != nil {
			return err
		}
	}
	return t.addWords(ctx, uses)
}

// putIndex writes rows of number and tokens.
func (t *tx) putIndex(ctx context.Context, table string, rows [][]any) error {
	doing := "index words in " + table
	switch {
	case len(rows) == 0:
		return nil
	case t.d.rowsAtOnce == 1:
		return t.insertTogether(ctx, doing, `INSERT INTO `+table+` (rowid, words) VALUES `, rows, "")
	case len(rows) < copiedRows:
		return t.each(ctx, doing, `INSERT INTO `+table+` (rowid, words, terms)
			VALUES ($1, $2, array_to_tsvector(array_remove(string_to_array($2, ' '), '')))`, rows)
	}
	return t.stage(ctx, doing, table, "rowid, words", rows, func(staged string) string {
		return `INSERT INTO ` + table + ` (rowid, words, terms)
			SELECT rowid, words, array_to_tsvector(array_remove(string_to_array(words, ' '), '')) FROM ` + staged
	})
}

// tokenCache holds the tokens of texts within a batch: many songs name the same artist and album.
type tokenCache map[string][]string

// tokens is words.Tokens.
func (c tokenCache) tokens(texts ...string) []string {
	var all []string
	for _, text := range texts {
		tokens, cached := c[text]
		if !cached {
			tokens = words.Tokens(text)
			c[text] = tokens
		}
		for _, token := range tokens {
			if len(all) < words.TokensPerRow && !slices.Contains(all, token) {
				all = append(all, token)
			}
		}
	}
	return all
}

// index writes the tokens of the songs of the batch and of its new or renamed artists and albums.
func (p *ingest) index(ctx context.Context) error {
	cache := make(tokenCache)
	songs := make([]indexed, len(p.tags))
	for i := range p.tags {
		tag := &p.tags[i]
		texts := []string{tag.Title, tag.Artist}
		if tag.Album != nil {
			texts = append(texts, tag.Album.Title)
		}
		songs[i] = indexed{p.nums[i], cache.tokens(texts...)}
	}
	var artists []indexed
	for _, a := range p.artists.created {
		artists = append(artists, indexed{a.num, cache.tokens(a.Name)})
	}
	var albums []indexed
	var renamed []int64
	for _, key := range sortedKeys(p.albums.byKey) {
		a := p.albums.byKey[key]
		if !a.renamed {
			continue
		}
		if !a.created {
			renamed = append(renamed, a.num)
		}
		albums = append(albums, indexed{a.num, cache.tokens(a.tag.Title, a.artist)})
	}
	return p.t.indexAll(ctx, indexing{songSearch, sortedKeys(p.old), songs},
		indexing{artistSearch, nil, artists}, indexing{albumSearch, renamed, albums})
}
