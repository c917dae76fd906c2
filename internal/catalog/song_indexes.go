package catalog

import (
	"context"
	"fmt"

	"github.com/pressly/goose/v3"
)

// songIndex is an index of the table songs that is created when the columns of all songs are
// filled: a server is ready before, and one sort is faster than an insert per song.
type songIndex struct{ name, columns string }

// songIndexes are few and narrow, because each slows the ingest of every song down. songs_by_num
// has what the other lists filter and order by, for one pass without reading whole rows.
var songIndexes = []songIndex{
	{"songs_by_title", "(title_sort, num) WHERE available = 1"},
	{"songs_by_artist", "(artist_sort, year, num) WHERE available = 1"},
	{"songs_by_album_title", "(album_sort, disc, track, num) WHERE available = 1"},
	{"songs_by_year", "(year, num) WHERE available = 1"},
	{"songs_by_plays", "(play_count, num) WHERE available = 1"},
	{"songs_by_num", "(num, duration, format) WHERE available = 1"},
	{"songs_unread", fmt.Sprintf("(num) WHERE tag_version < %d", tagVersion)},
}

// create returns the statement that creates the index. how is empty or CONCURRENTLY.
func (i songIndex) create(how string) string {
	return fmt.Sprintf(`CREATE INDEX %s IF NOT EXISTS %s ON songs %s`, how, i.name, i.columns)
}

// createSongIndexes creates the indexes one by one. In SQLite, other writers wait for one of them
// at most, in PostgreSQL they do not wait.
func (s *Store) createSongIndexes(ctx context.Context) error {
	build := s.createIndex
	if s.d.goose == goose.DialectPostgres {
		own, unused, err := s.d.open(s.file) // without the statement timeout of a server
		if err != nil {
			return fmt.Errorf("open the catalog: %w", err)
		}
		defer own.Close()
		defer unused.Close()
		build = func(ctx context.Context, index songIndex) error {
			var valid bool // not if an earlier attempt was killed
			err := own.QueryRowContext(ctx, `SELECT coalesce(bool_and(indisvalid), TRUE) FROM pg_index
				WHERE indexrelid = to_regclass($1)`, index.name).Scan(&valid)
			if err == nil && !valid {
				_, err = own.ExecContext(ctx, `DROP INDEX `+index.name)
			}
			if err == nil {
				_, err = own.ExecContext(ctx, index.create("CONCURRENTLY"))
			}
			return err
		}
	}
	for _, index := range songIndexes {
		if err := build(ctx, index); err != nil {
			return s.d.explain(fmt.Errorf("create the index %s: %w", index.name, err))
		}
	}
	return nil
}

// createIndex creates an index in SQLite. It has no time limit, unlike a change.
func (s *Store) createIndex(ctx context.Context, index songIndex) error {
	if err := s.writers.enter(ctx, ordinary); err != nil {
		return err
	}
	defer s.writers.leave()
	_, err := s.write.ExecContext(ctx, index.create(""))
	return err
}
