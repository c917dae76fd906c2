package catalog

import (
	"context"
	"database/sql"
	"sync"
	"time"
)

// popularRows caches the tokens of the most popular rows of one kind, most popular first.
type popularRows struct {
	kind searchKind

	mu       sync.Mutex
	revision int64
	read     time.Time
	rows     []popularRow
	used     bool // since rows were read
}

type popularRow struct {
	num   int64
	words string // see words.Spaced
}

// current returns the popular rows. The first call reads them, refresh updates them.
func (l *popularRows) current(ctx context.Context, s *Store) ([]popularRow, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used = true
	if l.read.IsZero() {
		if err := l.load(ctx, s); err != nil {
			return nil, err
		}
	}
	return l.rows, nil
}

// load reads the popular rows. The mutex is held.
func (l *popularRows) load(ctx context.Context, s *Store) error {
	revision := s.View().Revision
	rows, err := readPopular(ctx, s, l.kind)
	if err != nil {
		return err
	}
	l.rows, l.revision, l.read, l.used = rows, revision, time.Now(), false
	return nil
}

func readPopular(ctx context.Context, s *Store, kind searchKind) ([]popularRow, error) {
	return collect(ctx, s.read, "read popular rows", scanPopular, kind.popular, popularLimit)
}

func scanPopular(rows *sql.Rows) (row popularRow, err error) {
	return row, rows.Scan(&row.num, &row.words)
}

// refresh updates the vocabulary and the popular rows that are missing, or used and outdated.
// Searches continue with the old ones meanwhile.
func (s *searcher) refresh(ctx context.Context, store *Store) error {
	remote, err := s.vocabulary.checkRemote(ctx, store.read, store.d, store.View())
	if err != nil {
		return err
	}
	if !remote {
		if err := s.vocabulary.load(ctx, store.read, store.View(), true); err != nil {
			return err
		}
	}
	for i := range s.kinds {
		l := &s.kinds[i]
		l.mu.Lock()
		due := l.read.IsZero() || l.used && time.Since(l.read) > popularMaxAge && l.revision != store.View().Revision
		l.mu.Unlock()
		if !due {
			continue
		}
		revision := store.View().Revision
		rows, err := readPopular(ctx, store, l.kind)
		if err != nil {
			return err
		}
		l.mu.Lock()
		l.rows, l.revision, l.read, l.used = rows, revision, time.Now(), false
		l.mu.Unlock()
	}
	return nil
}
