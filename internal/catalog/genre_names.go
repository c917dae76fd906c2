package catalog

import (
	"context"
	"database/sql"
	"sync"
)

// knownGenres caches the names of all genres by number.
type knownGenres struct {
	mu      sync.Mutex
	known   bool
	version int64
	names   map[int64]string // never modified
}

// genreNames returns the names of all genres.
func (s *Store) genreNames(ctx context.Context) (map[int64]string, error) {
	version := s.View().songsChanged
	k := &s.genres
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known && k.version >= version {
		return k.names, nil
	}
	names := make(map[int64]string)
	_, err := collect(ctx, s.read, "read the names of genres", func(rows *sql.Rows) (none struct{}, err error) {
		var num int64
		var name string
		err = rows.Scan(&num, &name)
		names[num] = name
		return none, err
	}, `SELECT num, name FROM genres`)
	if err != nil {
		return nil, err
	}
	k.known, k.version, k.names = true, version, names
	return names, nil
}
