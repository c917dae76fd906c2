package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"waxwing/internal/words"
)

// settingDerived exists when every row of an older release has its sort keys and genres.
const settingDerived = "sort_keys"

// checkDerived marks a catalog without songs as complete, so that later opens need not look.
func (s *Store) checkDerived(ctx context.Context) error {
	if s.View().Songs > 0 {
		return nil
	}
	if done, err := s.isDerived(ctx); done || err != nil {
		return s.d.explain(err)
	}
	var songs bool
	if err := s.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM songs)`).Scan(&songs); err != nil {
		return s.d.explain(fmt.Errorf("look for songs: %w", err))
	}
	if songs {
		return nil
	}
	return s.markDerived(ctx)
}

func (s *Store) isDerived(ctx context.Context) (bool, error) {
	_, err := s.setting(ctx, settingDerived)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func (s *Store) markDerived(ctx context.Context) error {
	_, err := s.write.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES ($1, '1') ON CONFLICT (name) DO NOTHING`,
		settingDerived)
	if err != nil {
		return s.d.explain(fmt.Errorf("store that sort keys are complete: %w", err))
	}
	return nil
}

// deriveInBackground fills sort keys and genres while the server runs. If it fails, the next start
// or scan continues.
func (s *Store) deriveInBackground(ctx context.Context) {
	if err := s.Derive(ctx); err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "cannot complete sort keys and genres; the next scan tries again", "err", err)
	}
}

// Derive fills the sort keys and genres of rows that an older release wrote, from what is stored.
// Servers do so in the background when they open a catalog. Every batch is a transaction of its
// own, so a process that is killed half-way leaves the rest to the next one.
func (s *Store) Derive(ctx context.Context) error {
	if done, err := s.isDerived(ctx); done || err != nil {
		return s.d.explain(err)
	}
	_, release, err := s.acquire(ctx, migrating, time.Second, nil)
	if err != nil {
		return err
	}
	defer release()
	if done, err := s.isDerived(ctx); done || err != nil { // another process was first
		return s.d.explain(err)
	}
	begun := time.Now()
	if err := s.deriveAlbums(ctx); err != nil {
		return err
	}
	for last, more := int64(0), true; more; {
		err := s.change(ctx, repeated, func(t *tx) (err error) {
			last, more, err = t.deriveSongs(ctx, last)
			return err
		})
		if err != nil {
			return fmt.Errorf("fill sort keys and genres: %w", err)
		}
	}
	if err := s.FinishScan(ctx); err != nil { // publish what the batches wrote
		return err
	}
	s.log.DebugContext(ctx, "sort keys and genres filled", "took", time.Since(begun).Round(time.Millisecond))
	return s.markDerived(ctx)
}

func (s *Store) deriveAlbums(ctx context.Context) error {
	type album struct {
		num    int64
		artist string
	}
	return refoldRows(ctx, s, `SELECT num, artist, artist_sort FROM albums WHERE num > $1`,
		func(rows *sql.Rows, last *int64) (a album, wanted bool, err error) {
			var sorted string
			err = rows.Scan(&a.num, &a.artist, &sorted)
			*last = a.num
			return a, a.artist != "" && sorted == "", err
		}, func(t *tx, page []album) error {
			sorted := make([][]any, len(page))
			for i, a := range page {
				sorted[i] = []any{words.SortKey(a.artist), a.num}
			}
			t.addCount(songsChanged, 1)
			return t.updateMany(ctx, "sort albums", "albums", []string{"artist_sort", "num"}, sorted)
		})
}

// derivedSong is a song that an older release wrote.
type derivedSong struct {
	num, version, album int64
	available           bool
	facts               string
}

// deriveSongs fills a batch of songs after number last, and reports whether there may be more.
func (t *tx) deriveSongs(ctx context.Context, last int64) (next int64, more bool, err error) {
	songs, err := collect(ctx, t, "read songs without sort keys", func(rows *sql.Rows) (s derivedSong, err error) {
		var album sql.NullInt64
		err = rows.Scan(&s.num, &s.version, &album, &s.available, &s.facts)
		s.album = album.Int64
		return s, err
	}, fmt.Sprintf(`SELECT num, tag_version, album, available, facts FROM songs WHERE tag_version < %d AND num > $1
		ORDER BY num LIMIT %d`, tagVersion, BatchLimit), last)
	if err != nil || len(songs) == 0 {
		return last, false, err
	}
	var filled []filledSong
	for _, song := range songs {
		if song.version > 0 {
			continue
		}
		facts, err := Song{Facts: song.facts}.Decode()
		if err != nil {
			return last, false, err
		}
		filled = append(filled, filledSong{
			num: song.num, album: song.album, available: song.available, version: 1, before: song.facts, facts: facts,
			tag: tagOf(facts),
		})
	}
	return songs[len(songs)-1].num, true, t.fillSongs(ctx, filled)
}

// tagOf returns what facts say about order and genres. An older release joined several genres with
// commas.
func tagOf(facts SongFacts) *ScannedSong {
	tag := &ScannedSong{Title: facts.Title, Year: orZero(facts.Year)}
	if facts.Artist != nil {
		tag.Artist = *facts.Artist
	}
	if facts.Album != nil {
		tag.Album = &AlbumTag{Title: *facts.Album}
	}
	if facts.Genre != nil {
		tag.Genres = tidyGenres(strings.Split(*facts.Genre, ", "))
	}
	return tag
}
