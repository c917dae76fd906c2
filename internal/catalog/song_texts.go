package catalog

import (
	"context"
	"database/sql"

	"waxwing/internal/words"
)

// songTexts are the folded texts of a song that the rules of smart playlists compare.
type songTexts struct{ title, album, path string }

func textsOf(facts SongFacts, path string) songTexts {
	texts := songTexts{title: words.Key(facts.Title), path: pathKey(path)}
	if facts.Album != nil {
		texts.album = words.Key(*facts.Album)
	}
	return texts
}

// pathKey folds a path, which may be any bytes.
func pathKey(path string) string { return words.Key(words.Clean(path, MaxPath)) }

func (x songTexts) row(song int64) []any { return []any{song, x.title, x.album, x.path} }

func (p *ingest) writeTexts(ctx context.Context) error {
	rows := make([][]any, len(p.tags))
	for i := range p.tags {
		tag := &p.tags[i]
		facts := SongFacts{Title: tag.Title}
		if tag.Album != nil {
			facts.Album = &tag.Album.Title
		}
		rows[i] = textsOf(facts, tag.File.Path).row(p.nums[i])
	}
	if err := p.deleteOld(ctx, "song_texts"); err != nil {
		return err
	}
	return p.t.putTexts(ctx, rows)
}

func (t *tx) putTexts(ctx context.Context, rows [][]any) error {
	return t.insertMany(ctx, "ingest texts", "song_texts", "song, title, album, path", rows,
		`ON CONFLICT (song) DO UPDATE SET title = excluded.title, album = excluded.album, path = excluded.path`)
}

// rewriteTexts writes the texts of known songs.
func (t *tx) rewriteTexts(ctx context.Context, nums []int64, facts map[int64]*SongFacts) error {
	paths := make(map[int64]string, len(nums))
	_, err := collect(ctx, t, "read the paths of songs", func(rows *sql.Rows) (none struct{}, err error) {
		var song int64
		var path []byte
		err = rows.Scan(&song, &path)
		paths[song] = string(path)
		return none, err
	}, `SELECT song, path FROM files WHERE `+t.d.among("song")+` ORDER BY root, path`, t.d.list(nums))
	if err != nil {
		return err
	}
	rows := make([][]any, len(nums))
	for i, num := range nums {
		rows[i] = textsOf(*facts[num], paths[num]).row(num)
	}
	return t.putTexts(ctx, rows)
}
