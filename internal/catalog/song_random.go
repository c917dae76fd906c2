package catalog

import (
	"context"
	"math/rand/v2"
)

// RandomSongs returns up to n of the available songs that a query selects, each at most once, in an
// order of chance. It ignores the sort of the query.
func (s *Store) RandomSongs(ctx context.Context, v Viewer, q SongQuery, n int64) ([]FullSong, error) {
	s = s.on(ctx)
	q.Sort, q.Order = "", Natural
	view := s.View()
	if q == (SongQuery{}) {
		gone, err := s.unavailable.at(ctx, s, view.songsOrder)
		if err != nil {
			return nil, s.d.explain(err)
		}
		return s.fullSongs(ctx, v, randomNums(gone, view.Songs, n))
	}
	filters, err := s.songFilters(ctx, q, view)
	if err != nil {
		return nil, err
	}
	nums, err := s.nums(ctx, songsByNum(view, filters))
	if err != nil {
		return nil, s.d.explain(err)
	}
	return s.fullSongs(ctx, v, widen(sample(nums, n)))
}

// SongsByGenre returns a part of the songs of a genre, in the order in which they were added.
func (s *Store) SongsByGenre(ctx context.Context, v Viewer, genre string, offset, limit int64) ([]FullSong, error) {
	s = s.on(ctx)
	view := s.View()
	filters, err := s.songFilters(ctx, SongQuery{Genre: genre}, view)
	if err != nil {
		return nil, err
	}
	nums, err := s.nums(ctx, songsByNum(view, filters))
	if err != nil {
		return nil, s.d.explain(err)
	}
	return s.fullSongs(ctx, v, widen(part(nums, offset, limit)))
}

// songsByNum is the list of available songs in the order in which they were added.
func songsByNum(view View, filters []rowFilter) sortedList {
	return sortedList{
		table: "songs", where: "available = 1", version: view.songsChanged, filters: filters,
		sort: sortOrder{name: sortAdded, keys: []string{"num"}},
	}
}

// part returns the limit elements of a list after the first offset ones.
func part[T any](list []T, offset, limit int64) []T {
	n := int64(len(list))
	offset = min(max(0, offset), n)
	return list[offset : offset+min(max(0, limit), n-offset)]
}

// randomNums returns the numbers of up to n of the listed songs.
func randomNums(gone unavailableAt, songs, n int64) []int64 {
	n = min(n, songs)
	if n <= 0 {
		return nil
	}
	chosen := make([]int64, 0, n)
	if n > songs/2 {
		for _, i := range rand.Perm(int(songs))[:n] {
			chosen = append(chosen, gone.num(int64(i)))
		}
		return chosen
	}
	used := make(map[int64]bool, n)
	for int64(len(chosen)) < n {
		if i := rand.Int64N(songs); !used[i] {
			used[i] = true
			chosen = append(chosen, gone.num(i))
		}
	}
	return chosen
}
