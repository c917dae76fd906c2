package catalog

import (
	"context"
	"fmt"
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

// index writes what the songs of the batch, and its new artists and albums, are found by.
func (p *put) index(ctx context.Context) error {
	songs := make([]indexed, len(p.tags))
	for i := range p.tags {
		tag := &p.tags[i]
		facts := SongFacts{Title: tag.Title, Artist: known(tag.Artist)}
		if tag.Album != nil {
			facts.Album = &tag.Album.Title
		}
		songs[i] = indexed{p.nums[i], facts.words()}
	}
	if err := p.t.index(ctx, songSearch, sortedKeys(p.old), songs); err != nil {
		return err
	}
	var artists []indexed
	for _, a := range p.artists.fresh {
		artists = append(artists, indexed{a.num, wordsOf(a.Name)})
	}
	if err := p.t.index(ctx, artistSearch, nil, artists); err != nil {
		return err
	}
	var albums []indexed
	var known []int64
	for _, key := range sortedKeys(p.albums.byKey) {
		a := p.albums.byKey[key]
		if !a.renamed {
			continue
		}
		if !a.fresh {
			known = append(known, a.num)
		}
		albums = append(albums, indexed{a.num, wordsOf(a.tag.Title, a.artist)})
	}
	return p.t.index(ctx, albumSearch, known, albums)
}
