package catalog

import (
	"context"
	"fmt"
)

// Range is a range of years, both ends included. The zero value is any year.
type Range struct{ From, To int }

// SongQuery selects and orders songs. Filters combine.
type SongQuery struct {
	Sort   string // one of SongSorts; empty: in the order in which songs were added
	Order  Order
	Genre  string // of any spelling; empty: all
	Years  Range
	Format string // empty: all
	Liked  Viewer // who likes the songs; zero: all songs
}

// Order is a direction.
type Order string

// The orders. Natural is the one that people expect: newest, most played, else ascending.
const (
	Natural    Order = ""
	Ascending  Order = "asc"
	Descending Order = "desc"
)

// descending reports whether a list in this order begins with the largest.
func (o Order) descending(natural bool) bool { return o == Descending || o == Natural && natural }

// songSorts are the orders of lists of songs. num follows the time at which a song was added.
var songSorts = []sortOrder{
	{name: "title", keys: []string{"title_sort", "num"}},
	{name: "artist", keys: []string{"artist_sort", "year", "num"}},
	{name: "album", keys: []string{"album_sort", "disc", "track", "num"}},
	{name: "year", keys: []string{"year", "num"}},
	{name: sortAdded, keys: []string{"num"}, desc: true},
	{name: "duration", keys: []string{"duration", "num"}, cached: true},
	{name: sortPlays, keys: []string{"play_count", "num"}, desc: true},
}

const (
	sortAdded = "added"
	sortPlays = "plays"
)

// SongSorts and AlbumSorts are the names of the orders.
func SongSorts() []string  { return sortNames(songSorts) }
func AlbumSorts() []string { return sortNames(albumSorts) }

func sortNames(sorts []sortOrder) []string {
	names := make([]string, len(sorts))
	for i, sort := range sorts {
		names[i] = sort.name
	}
	return names
}

func findSort(sorts []sortOrder, name string) (sortOrder, bool) {
	for _, sort := range sorts {
		if sort.name == name {
			return sort, true
		}
	}
	return sortOrder{}, false
}

// ListSongs returns a page of the available songs that a query selects.
func (s *Store) ListSongs(ctx context.Context, q SongQuery, page Page) (songs []Song, total int64, err error) {
	s = s.on(ctx)
	if q == (SongQuery{}) {
		return s.Songs(ctx, page)
	}
	view := s.View()
	list := sortedList{table: "songs", where: "available = 1", version: view.songsChanged, total: view.Songs}
	var known bool
	if list.sort, known = findSort(songSorts, q.Sort); !known {
		list.sort = sortOrder{name: sortAdded, keys: []string{"num"}}
	}
	if list.sort.name != sortAdded || q.Years != (Range{}) {
		if err := s.requireDerived(ctx); err != nil {
			return nil, 0, err
		}
	}
	if list.sort.name == sortPlays {
		list.version = view.Revision
	}
	list.desc = q.Order.descending(list.sort.desc)
	if list.filters, err = s.songFilters(ctx, q, view); err != nil {
		return nil, 0, err
	}
	switch {
	case list.sort.name == sortAdded && len(list.filters) == 0:
		return s.songsByAge(ctx, list.desc, page)
	case list.sort.name == "year" && len(list.filters) == 1 && q.Years != (Range{}):
		// The index of years has this order, too.
		f := list.filters[0]
		found := ordered{name: list.ascending().name(), version: list.versions(), table: f.table, where: f.where,
			args: f.args, keys: list.sort.keys, descending: list.desc, rowid: s.d.rowids,
			join: "JOIN songs s ON s.num = k.num"}
		return countedPage(ctx, s, found, page, songColumns, scanOneSong)
	}
	return sortedPage(ctx, s, list, page, "s", songColumns, scanOneSong, func(song Song) int64 { return song.num })
}

// songFilters returns the filters of a query. Another filter is one more rowFilter here.
func (s *Store) songFilters(ctx context.Context, q SongQuery, view View) (filters []rowFilter, err error) {
	if q.Genre != "" {
		genre, err := s.genreNum(ctx, q.Genre)
		if err != nil {
			return nil, err
		}
		filters = append(filters, rowFilter{
			name: fmt.Sprintf("genre %d", genre), version: view.songsChanged,
			table: "song_genres", column: "song", where: "genre = $1 AND listed = 1", args: []any{genre},
		})
	}
	if y := q.Years; y != (Range{}) {
		f := rowFilter{name: fmt.Sprintf("years %d to %d", y.From, y.To), version: view.songsChanged,
			table: "songs", column: "num", where: "available = 1 AND year = $1", args: []any{y.From}}
		if y.From != y.To {
			f.where, f.args, f.unordered = "available = 1 AND year BETWEEN $1 AND $2", []any{y.From, y.To}, true
		}
		filters = append(filters, f)
	}
	if q.Format != "" {
		filters = append(filters, rowFilter{
			name: fmt.Sprintf("format %q", q.Format), version: view.songsChanged,
			table: "songs", column: "num", where: "available = 1 AND format = $1", args: []any{q.Format},
			unordered: true,
		})
	}
	if q.Liked != (Viewer{}) {
		liked := likedFilter(view, q.Liked, SongItem, "")
		liked.unordered, liked.unlisted = true, true
		filters = append(filters, liked)
	}
	return filters, nil
}

// songsByAge returns a page of all songs, oldest or newest first.
func (s *Store) songsByAge(ctx context.Context, newest bool, page Page) (songs []Song, total int64, err error) {
	if !newest {
		return s.songPage(ctx, songColumns, page)
	}
	view := s.View()
	limit := min(page.Limit, view.Songs-page.offset())
	if limit <= 0 || page.Number < 1 {
		return []Song{}, view.Songs, nil
	}
	gone, err := s.unavailable.at(ctx, s, view.songsOrder)
	if err != nil {
		return nil, 0, s.d.explain(err)
	}
	songs, err = collectSongs(ctx, s.prepared, "list songs", songColumns,
		`WHERE s.num <= $1 AND +s.available = 1 ORDER BY s.num DESC LIMIT CAST($2 AS BIGINT)`,
		gone.num(view.Songs-1-page.offset()), limit)
	return songs, view.Songs, s.d.explain(err)
}

// Formats are the formats of songs.
func Formats() []string {
	return []string{"mp3", "flac", "vorbis", "opus", "aac", "alac", "wav", "aiff", "mp1", "mp2", "speex", "wma", "ape",
		"wavpack", "musepack", "dsf"}
}
