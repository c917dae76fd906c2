package catalog

import (
	"context"
	"fmt"
)

// AlbumQuery selects and orders albums. Filters combine.
type AlbumQuery struct {
	Sort  string // one of AlbumSorts; empty: title
	Order Order
	Seed  string // of the sort "random": another seed is another order
	Genre string // that a song of the album has; empty: all
	Years Range
	Liked Viewer // who likes the albums; zero: all albums
	// Viewer is the user of the sorts by own plays and ratings; see PersonalAlbumSorts.
	Viewer Viewer
}

// albumSorts are the orders of lists of albums.
var albumSorts = []sortOrder{
	{name: "title", keys: []string{"sort_key", "id"}},
	{name: "artist", keys: []string{"artist_sort", "year_sort", "num"}},
	{name: "year", keys: []string{"year_sort", "num"}},
	{name: "newest", keys: []string{"created_at", "num"}, desc: true},
	{name: sortRandom},
}

// ListAlbums returns a page of the albums with an available song that a query selects.
func (s *Store) ListAlbums(ctx context.Context, q AlbumQuery, page Page) (albums []Album, total int64, err error) {
	s = s.on(ctx)
	if q == (AlbumQuery{}) {
		return s.Albums(ctx, page)
	}
	if by := personalSorts[q.Sort]; by != "" {
		return s.albumsByOwn(ctx, q, by, page)
	}
	list, err := s.selectedAlbums(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	return sortedPage(ctx, s, list, page, "b", albumColumns, scanAlbum, func(a Album) int64 { return a.num })
}

// ListFullAlbums returns the albums from an offset on that a query selects, with all that is known
// about them. Apps read whole lists in a few large parts, so that the order is kept in memory.
func (s *Store) ListFullAlbums(
	ctx context.Context, q AlbumQuery, offset, limit int64,
) (albums []FullAlbum, total int64, err error) {
	s = s.on(ctx)
	if personalSorts[q.Sort] != "" {
		found, total, err := s.ListAlbums(ctx, q, Span(offset, limit))
		if err != nil {
			return nil, 0, err
		}
		albums, err = s.FullAlbums(ctx, q.Viewer, part(found, 0, limit))
		return albums, total, err
	}
	list, err := s.selectedAlbums(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	nums, err := s.nums(ctx, list)
	if err != nil {
		return nil, 0, s.d.explain(err)
	}
	albums, err = s.fullAlbumsAt(ctx, q.Viewer, part(nums, offset, limit))
	return albums, int64(len(nums)), err
}

// selectedAlbums returns the list of a query whose order is the same for all users.
func (s *Store) selectedAlbums(ctx context.Context, q AlbumQuery) (list sortedList, err error) {
	view := s.View()
	list = sortedList{table: "albums", where: "song_count > 0", version: view.songsChanged, seed: q.Seed}
	var known bool
	if list.sort, known = findSort(albumSorts, q.Sort); !known {
		list.sort = albumSorts[0]
	}
	list.desc = list.sort.name != sortRandom && q.Order.descending(list.sort.desc)
	list.filters, err = s.albumFilters(ctx, q, view)
	return list, err
}

// albumFilters returns the filters of a query. Another filter is one more rowFilter here.
func (s *Store) albumFilters(ctx context.Context, q AlbumQuery, view View) (filters []rowFilter, err error) {
	if q.Genre != "" {
		genre, err := s.genreNum(ctx, q.Genre)
		if err != nil {
			return nil, err
		}
		filters = append(filters, rowFilter{
			name: fmt.Sprintf("genre %d", genre), version: view.songsChanged,
			table: "album_genres", column: "album", where: "genre = $1 AND songs > 0", args: []any{genre},
		})
	}
	if y := q.Years; y != (Range{}) {
		filters = append(filters, rowFilter{
			name: fmt.Sprintf("years %d to %d", y.From, y.To), version: view.songsChanged,
			table: "albums", column: "num", where: "song_count > 0 AND year_sort BETWEEN $1 AND $2",
			args: []any{y.From, y.To},
		})
	}
	if q.Liked != (Viewer{}) {
		filters = append(filters, likedFilter(view, q.Liked, AlbumItem, "SELECT num FROM albums WHERE song_count > 0"))
	}
	return filters, nil
}
