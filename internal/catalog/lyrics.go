package catalog

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/flate"

	"waxwing/internal/lyrics"
)

// Lyrics returns the texts of a song; those in its tags come first. The text of a lyrics server is
// returned only if the files have none.
func (s *Store) Lyrics(ctx context.Context, id string) ([]lyrics.Text, error) {
	s = s.on(ctx)
	if !isID(songPrefix, id) {
		return nil, notFound("song", id)
	}
	found, err := collect(ctx, s.read, "read lyrics", func(rows *sql.Rows) (packed [3][]byte, err error) {
		return packed, rows.Scan(&packed[0], &packed[1], &packed[2])
	}, `SELECT l.tags, l.files, l.online FROM songs s LEFT JOIN lyrics l ON l.song = s.num WHERE s.id = $1`, id)
	if err != nil {
		return nil, s.d.explain(err)
	}
	if len(found) == 0 {
		return nil, notFound("song", id)
	}
	var texts []lyrics.Text
	for i, packed := range found[0] {
		if i == 2 && len(texts) > 0 {
			break
		}
		unpacked, err := unpackLyrics(packed)
		if err != nil {
			return nil, fmt.Errorf("read the lyrics of %s: %w", id, err)
		}
		texts = append(texts, unpacked...)
	}
	return texts, nil
}

// LyricFiles are the texts in files beside a song.
type LyricFiles struct {
	SongID string
	Texts  []lyrics.Text
}

// PutLyricFiles replaces the texts in files beside songs. Unknown songs are ignored.
func (s *Store) PutLyricFiles(ctx context.Context, songs []LyricFiles) error {
	for chunk := range slices.Chunk(songs, BatchLimit) {
		err := s.change(ctx, repeated, func(t *tx) error { return t.putLyrics(ctx, "files", chunk) })
		if err != nil {
			return err
		}
	}
	return nil
}

// PutOnlineLyrics stores the text of a lyrics server for a song. An unknown song is ignored. The
// revision stays as it is, because only the lyrics of this song change.
func (s *Store) PutOnlineLyrics(ctx context.Context, id string, text lyrics.Text) error {
	return s.change(ctx, repeated, func(t *tx) error {
		t.invisible = true
		return t.putLyrics(ctx, "online", []LyricFiles{{SongID: id, Texts: []lyrics.Text{text}}})
	})
}

// putLyrics replaces a column of the lyrics of songs.
func (t *tx) putLyrics(ctx context.Context, column string, songs []LyricFiles) error {
	texts := make(map[string][]lyrics.Text, len(songs))
	for _, song := range songs {
		texts[song.SongID] = song.Texts
	}
	pack := lyricsPacker{}
	rows, err := collect(ctx, t, "find the songs of lyrics", func(rows *sql.Rows) ([]any, error) {
		var num int64
		var id string
		if err := rows.Scan(&num, &id); err != nil {
			return nil, err
		}
		packed, err := pack.pack(texts[id])
		return []any{num, packed}, err
	}, `SELECT num, id FROM songs WHERE id IN (`+in(1, len(texts))+`)`, anySlice(sortedKeys(texts))...)
	if err != nil {
		return err
	}
	return t.insertMany(ctx, "store lyrics", "lyrics", "song, "+column, rows,
		`ON CONFLICT (song) DO UPDATE SET `+column+` = excluded.`+column)
}

// putTagLyrics replaces the texts in the tags of songs, by their numbers.
func (t *tx) putTagLyrics(ctx context.Context, texts map[int64][]lyrics.Text) error {
	pack := lyricsPacker{}
	var rows [][]any
	for _, num := range sortedKeys(texts) {
		packed, err := pack.pack(texts[num])
		if err != nil {
			return err
		}
		if packed != nil {
			rows = append(rows, []any{num, packed})
		}
	}
	return t.insertMany(ctx, "store lyrics of tags", "lyrics", "song, tags", rows,
		`ON CONFLICT (song) DO UPDATE SET tags = excluded.tags`)
}

func (p *ingest) writeLyrics(ctx context.Context) error {
	if err := p.deleteOld(ctx, "lyrics"); err != nil {
		return err
	}
	pack := lyricsPacker{}
	var rows [][]any
	for i := range p.tags {
		tags, err := pack.pack(p.tags[i].Lyrics)
		if err != nil {
			return err
		}
		files, err := pack.pack(p.tags[i].LyricFiles)
		if err != nil {
			return err
		}
		if tags != nil || files != nil {
			rows = append(rows, []any{p.nums[i], tags, files})
		}
	}
	return p.t.insertMany(ctx, "ingest lyrics", "lyrics", "song, tags, files", rows, "")
}

// lyricsPacker compresses texts with one writer, which takes much more memory than its output.
type lyricsPacker struct{ w *flate.Writer }

// pack returns the stored form of texts: a []byte, or nil without any text.
func (p *lyricsPacker) pack(texts []lyrics.Text) (any, error) {
	if len(texts) == 0 {
		return nil, nil //nolint:nilnil // NULL in the database
	}
	text, err := encode(texts)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if p.w == nil {
		if p.w, err = flate.NewWriter(&b, flate.BestSpeed); err != nil {
			return nil, fmt.Errorf("compress lyrics: %w", err)
		}
	}
	p.w.Reset(&b)
	if _, err := io.WriteString(p.w, text); err != nil {
		return nil, fmt.Errorf("compress lyrics: %w", err)
	}
	if err := p.w.Close(); err != nil {
		return nil, fmt.Errorf("compress lyrics: %w", err)
	}
	return b.Bytes(), nil
}

// unpackLyrics reverses pack.
func unpackLyrics(packed []byte) (texts []lyrics.Text, err error) {
	if len(packed) == 0 {
		return nil, nil
	}
	b, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		return nil, err
	}
	return texts, json.Unmarshal(b, &texts)
}
