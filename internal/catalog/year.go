package catalog

import (
	"context"
	"database/sql"
	"sync"
)

// Year is a year with songs or albums.
type Year struct {
	Year       int
	SongCount  int64
	AlbumCount int64
}

// knownYears caches the years: counting them reads an entry per song.
type knownYears struct {
	mu      sync.Mutex
	known   bool
	version int64
	years   []Year
}

// Years returns a page of the years of available songs and of albums, ascending.
func (s *Store) Years(ctx context.Context, page Page) (years []Year, total int64, err error) {
	s = s.on(ctx)
	version := s.View().songsChanged
	k := &s.years
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.known || k.version < version {
		read, err := s.readYears(ctx)
		if err != nil {
			return nil, 0, s.d.explain(err)
		}
		k.known, k.version, k.years = true, version, read
	}
	total = int64(len(k.years))
	if page.Number < 1 || page.offset() >= total {
		return []Year{}, total, nil
	}
	return k.years[page.offset():min(page.offset()+page.Limit, total)], total, nil
}

func (s *Store) readYears(ctx context.Context) ([]Year, error) {
	counts := make(map[int]*Year)
	year := func(n int) *Year {
		if counts[n] == nil {
			counts[n] = &Year{Year: n}
		}
		return counts[n]
	}
	scan := func(into func(*Year, int64)) func(*sql.Rows) (struct{}, error) {
		return func(rows *sql.Rows) (none struct{}, err error) {
			var y int
			var n int64
			if err := rows.Scan(&y, &n); err != nil {
				return none, err
			}
			into(year(y), n)
			return none, nil
		}
	}
	_, err := collect(ctx, s.read, "count songs by year", scan(func(y *Year, n int64) { y.SongCount = n }),
		`SELECT year, count(*) FROM songs WHERE available = 1 AND year > 0 GROUP BY year`)
	if err != nil {
		return nil, err
	}
	_, err = collect(ctx, s.read, "count albums by year", scan(func(y *Year, n int64) { y.AlbumCount = n }),
		`SELECT year_sort, count(*) FROM albums WHERE song_count > 0 AND year_sort > 0 GROUP BY year_sort`)
	if err != nil {
		return nil, err
	}
	years := make([]Year, 0, len(counts))
	for _, n := range sortedKeys(counts) {
		years = append(years, *counts[n])
	}
	return years, nil
}
