package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"waxwing/internal/fault"
	"waxwing/internal/words"
)

// settingDerived exists when every row of an older release has its sort keys and genres.
const settingDerived = "sort_keys"

// checkDerived completes a catalog without songs, so that later opens need not look.
func (s *Store) checkDerived(ctx context.Context) error {
	if s.View().Songs > 0 {
		return nil
	}
	return s.unlessDerived(ctx, func() error {
		var songs bool
		if err := s.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM songs)`).Scan(&songs); err != nil {
			return s.d.explain(fmt.Errorf("look for songs: %w", err))
		}
		if songs {
			return nil
		}
		return s.change(ctx, durable, func(t *tx) error {
			t.invisible = true
			statements := make([]statement, 0, len(songIndexes)+1)
			for _, index := range songIndexes {
				statements = append(statements, statement{index.create(""), nil})
			}
			return t.run(ctx, "create indexes", append(statements, markDerived))
		})
	})
}

// unlessDerived runs f, in one process at a time, if the catalog is not complete.
func (s *Store) unlessDerived(ctx context.Context, f func() error) error {
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
	return f()
}

func (s *Store) isDerived(ctx context.Context) (bool, error) {
	if s.derived.Load() {
		return true, nil
	}
	_, err := s.setting(ctx, settingDerived)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err == nil {
		s.derived.Store(true)
	}
	return err == nil, err
}

var markDerived = statement{`INSERT INTO settings (name, value) VALUES ($1, '1') ON CONFLICT (name) DO NOTHING`,
	[]any{settingDerived}}

// requireDerived returns an Unavailable fault while lists have no index.
func (s *Store) requireDerived(ctx context.Context) error {
	done, err := s.isDerived(ctx)
	if err != nil {
		return s.d.explain(err)
	}
	if !done {
		return fault.New(fault.Unavailable, "songs cannot be listed in this order yet: the catalog of an older release "+
			"is still being completed; try again in a few minutes")
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
	return s.unlessDerived(ctx, func() error { return s.derive(ctx) })
}

func (s *Store) derive(ctx context.Context) error {
	begun := time.Now()
	if err := s.deriveAlbums(ctx); err != nil {
		return err
	}
	if err := s.deriveAllSongs(ctx); err != nil {
		return fmt.Errorf("fill sort keys and genres: %w", err)
	}
	if err := s.createSongIndexes(ctx); err != nil {
		return err
	}
	if err := s.FinishScan(ctx); err != nil { // publish what the batches wrote
		return err
	}
	s.log.DebugContext(ctx, "sort keys and genres filled", "took", time.Since(begun).Round(time.Millisecond))
	return s.change(ctx, durable, func(t *tx) error {
		t.invisible = true
		return t.run(ctx, "store that sort keys are complete", []statement{markDerived})
	})
}

// deriveAllSongs fills all songs in batches. Other writers wait for one batch at most.
func (s *Store) deriveAllSongs(ctx context.Context) error {
	var first sql.NullInt64
	err := s.read.QueryRowContext(ctx, `SELECT min(num) FROM songs WHERE tag_version = 0`).Scan(&first)
	if err != nil || !first.Valid {
		return s.d.explain(err)
	}
	for last, more := first.Int64-1, true; more; {
		err := s.change(ctx, repeated, func(t *tx) (err error) {
			last, more, err = t.deriveSongs(ctx, last)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
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

// derivedBatch is the number of songs of one transaction. It limits how long other writers wait.
const derivedBatch = 2000

// deriveSongs fills a batch of songs after number last, and reports whether there may be more.
func (t *tx) deriveSongs(ctx context.Context, last int64) (next int64, more bool, err error) {
	songs, err := collect(ctx, t, "read songs without sort keys", func(rows *sql.Rows) (filledSong, error) {
		song := filledSong{version: 1}
		var album sql.NullInt64
		if err := rows.Scan(&song.num, &album, &song.available, &song.before); err != nil {
			return song, err
		}
		song.album = album.Int64
		var err error
		if song.facts, err = (Song{Facts: song.before}).Decode(); err != nil {
			return song, err
		}
		song.tag = tagOf(song.facts)
		return song, nil
	}, fmt.Sprintf(`SELECT num, album, available, facts FROM songs WHERE tag_version = 0 AND num > $1
		ORDER BY num LIMIT %d`, derivedBatch), last)
	if err != nil || len(songs) == 0 {
		return last, false, err
	}
	return songs[len(songs)-1].num, true, t.fillSongs(ctx, songs)
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
