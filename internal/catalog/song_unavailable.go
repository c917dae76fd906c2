package catalog

import (
	"context"
	"database/sql"
	"slices"
	"sort"
	"sync"
)

// unavailableSongs caches the numbers that the list of songs leaves out. Song numbers have no gaps,
// so the n-th song of the list has number n plus the unavailable ones before it: all pages cost the
// same.
type unavailableSongs struct {
	mu      sync.Mutex
	known   bool
	version int64
	nums    []int64 // ascending
}

// unavailableAt is unavailableSongs at one version; it is never modified.
type unavailableAt []int64

// at returns the unavailable songs of a version of the list, reading each version once.
func (g *unavailableSongs) at(ctx context.Context, s *Store, version int64) (unavailableAt, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known && g.version >= version {
		return g.nums, nil
	}
	nums, err := collect(ctx, s.read, "list unavailable songs",
		func(rows *sql.Rows) (num int64, err error) { return num, rows.Scan(&num) },
		`SELECT num FROM songs WHERE available = 0 ORDER BY num`)
	if err != nil {
		return nil, err
	}
	g.known, g.version, g.nums = true, version, nums
	return nums, nil
}

// num returns the number of the song at an offset of the list, counted from 0.
func (g unavailableAt) num(offset int64) int64 {
	// The k-th unavailable number has g[k]-1-k listed songs before it. Those before the result are
	// the ones for which that is at most offset.
	before := sort.Search(len(g), func(k int) bool { return g[k]-1-int64(k) > offset })
	return offset + 1 + int64(before)
}

// listedSongs leaves the unavailable ones out of the numbers of songs.
func (s *Store) listedSongs(ctx context.Context, nums []uint32) ([]uint32, error) {
	gone, err := s.unavailable.at(ctx, s, s.View().songsOrder)
	return slices.DeleteFunc(nums, func(num uint32) bool {
		_, found := slices.BinarySearch(gone, int64(num))
		return found
	}), err
}
