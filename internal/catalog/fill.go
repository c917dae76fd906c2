package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"waxwing/internal/lyrics"
)

// OutdatedFile is the unchanged file of a song that an older release wrote.
type OutdatedFile struct {
	File
	SongID string
	num    int64
}

// OutdatedFiles returns files of a root whose tags hold more than an older release stored, at most
// BatchLimit, in the order of their songs after the song of after.
func (s *Store) OutdatedFiles(ctx context.Context, root string, after OutdatedFile) ([]OutdatedFile, error) {
	files, err := collect(ctx, s.read, "list outdated files", func(rows *sql.Rows) (OutdatedFile, error) {
		f := OutdatedFile{File: File{FileRef: FileRef{Root: root}}}
		var path []byte
		var mtime int64
		err := rows.Scan(&f.num, &f.SongID, &path, &f.Size, &mtime)
		f.Path, f.ModTime = string(path), time.UnixMicro(mtime)
		return f, err
	}, fmt.Sprintf(`SELECT s.num, s.id, f.path, f.size, f.mtime FROM songs s JOIN files f ON f.song = s.num
		WHERE s.tag_version < %d AND s.available = 1 AND s.num > $1 AND f.missing = 0
		AND f.root = (SELECT num FROM roots WHERE name = $2) ORDER BY s.num LIMIT %d`, tagVersion, BatchLimit),
		after.num, []byte(root))
	return files, s.d.explain(err)
}

// FillSongs adds to known songs what an older release did not store: details, sort keys, genres
// and the lyrics in their tags. Everything else stays as it is, covers included. Unknown songs are
// ignored.
func (s *Store) FillSongs(ctx context.Context, batch []ScannedSong) error {
	tags, err := readTags(batch)
	if err != nil || len(tags) == 0 {
		return err
	}
	byID := make(map[string]*ScannedSong, len(tags))
	ids := make([]string, 0, len(tags))
	for i := range tags {
		byID[tags[i].ID] = &tags[i]
		ids = append(ids, tags[i].ID)
	}
	return s.change(ctx, repeated, func(t *tx) error {
		if err := (&ingest{t: t}).lockSongs(ctx); err != nil {
			return err
		}
		songs, err := collect(ctx, t, "read songs to fill", func(rows *sql.Rows) (filledSong, error) {
			song := filledSong{version: tagVersion}
			var id string
			var album sql.NullInt64
			err := rows.Scan(&song.num, &id, &album, &song.available, &song.before)
			song.album, song.tag = album.Int64, byID[id]
			if err == nil {
				song.facts, err = Song{Facts: song.before}.Decode()
			}
			return song, err
		}, `SELECT num, id, album, available, facts FROM songs WHERE id IN (`+in(1, len(ids))+`)`, anySlice(ids)...)
		if err != nil {
			return err
		}
		return t.fillSongs(ctx, songs)
	})
}

// filledSong is a stored song with what its tags add.
type filledSong struct {
	num, album int64
	available  bool
	version    int
	before     string // facts
	facts      SongFacts
	tag        *ScannedSong
}

// fillSongs writes sort keys, genres and, from version 2 on, details. The genre of the facts
// becomes the first of the genres.
func (t *tx) fillSongs(ctx context.Context, songs []filledSong) error {
	if len(songs) == 0 {
		return nil
	}
	t.addCount(songsChanged, 1)
	var names []string
	nums := make([]int64, len(songs))
	byNum := make(map[int64]*storedSong, len(songs))
	facts := make(map[int64]*SongFacts, len(songs))
	for i, song := range songs {
		nums[i], facts[song.num] = song.num, &songs[i].facts
		if song.version == tagVersion { // songs of version 0 have no rows yet
			byNum[song.num] = &storedSong{}
		}
		names = append(names, song.tag.Genres...)
	}
	if len(byNum) > 0 {
		if err := t.readGenres(ctx, byNum, nums); err != nil {
			return err
		}
	}
	known, err := t.resolveGenres(ctx, names)
	if err != nil {
		return err
	}
	counts := newGenreTally()
	var keys, edited, genres, details [][]any
	texts := make(map[int64][]lyrics.Text, len(songs))
	for _, song := range songs {
		found := genreNums(song.tag.Genres, known)
		if song.available {
			if old := byNum[song.num]; old != nil {
				counts.shift(-1, song.album, old.genres)
			}
			counts.shift(1, song.album, found)
		}
		genres = append(genres, genreRows(song.num, found, song.available)...)
		sort := sortKeysOf(song.tag, song.album)
		if song.album == 0 {
			sort.album = ""
		}
		keys = append(keys, []any{sort.title, sort.artist, sort.album, sort.year, song.version, song.num})
		if genre := firstOf(song.tag.Genres); genre != orZero(song.facts.Genre) {
			song.facts.Genre = optional(genre)
			text, err := encode(song.facts)
			if err != nil {
				return err
			}
			edited = append(edited, []any{text, t.now, song.num})
		}
		if song.version == tagVersion {
			details = append(details, song.tag.Details.row(song.num))
			texts[song.num] = song.tag.Lyrics
		}
	}
	p := &ingest{t: t, old: byNum}
	for _, table := range []string{"song_genres", "song_details"} {
		if err := p.deleteOld(ctx, table); err != nil {
			return err
		}
	}
	err = t.updateMany(ctx, "fill sort keys", "songs",
		[]string{"title_sort", "artist_sort", "album_sort", "year", "tag_version", "num"}, keys)
	if err != nil {
		return err
	}
	err = t.updateMany(ctx, "fill genres", "songs", []string{"facts", "updated_at", "num"}, edited)
	if err != nil {
		return err
	}
	if err := t.putGenres(ctx, genres); err != nil {
		return err
	}
	if err := t.rewriteTexts(ctx, nums, facts); err != nil {
		return err
	}
	if err := t.putDetails(ctx, details); err != nil {
		return err
	}
	if err := t.putTagLyrics(ctx, texts); err != nil {
		return err
	}
	return counts.write(ctx, t)
}
