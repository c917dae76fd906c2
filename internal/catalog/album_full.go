package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
)

// FullAlbum is an album with everything that an app shows of it, and what a user did with it.
type FullAlbum struct {
	Album
	Personal
	Genres []string // the most frequent first
}

// FullAlbums returns the albums with all that is known about them.
func (s *Store) FullAlbums(ctx context.Context, v Viewer, albums []Album) ([]FullAlbum, error) {
	s = s.on(ctx)
	full := make([]FullAlbum, len(albums))
	if len(albums) == 0 {
		return full, nil
	}
	s.sumPlays(ctx)
	names, err := s.genreNames(ctx)
	if err != nil {
		return nil, s.d.explain(err)
	}
	nums := make([]int64, len(albums))
	places := make(map[int64][]int, len(albums)) // a list may contain an album twice
	for i, a := range albums {
		full[i].Album, nums[i] = a, a.num
		places[a.num] = append(places[a.num], i)
	}
	where, args := s.d.among, []any{s.d.list(nums), v.num}
	if first, last := slices.Min(nums), slices.Max(nums); last-first < 2*int64(len(nums)) {
		where = func(column string) string { return column + " BETWEEN $1 AND $3" }
		args = []any{first, v.num, last}
	}
	var personal, genres sql.NullString
	err = s.prepared.QueryRowContext(ctx, `SELECT (`+packedPersonal+`m.listener = $2 AND m.kind = 2 AND `+
		where("m.item")+`), (SELECT string_agg(concat_ws(',', album, genre), ';') FROM (SELECT album, genre
		FROM album_genres WHERE `+where("album")+` AND songs > 0 ORDER BY album, songs DESC, genre) x)`, args...).
		Scan(&personal, &genres)
	if err != nil {
		return nil, s.d.explain(fmt.Errorf("read albums with all that is known: %w", err))
	}
	mine, err := unpackPersonals("read personal data", personal)
	if err != nil {
		return nil, err
	}
	for num, p := range mine {
		for _, i := range places[num] {
			full[i].Personal = p
		}
	}
	return full, eachPart(genres, func(album int64, genre string) error {
		n, err := strconv.ParseInt(genre, 10, 64)
		for _, i := range places[album] {
			if name := names[n]; name != "" {
				full[i].Genres = append(full[i].Genres, name)
			}
		}
		return err
	})
}

// FullAlbumSongs returns the available songs of an album by disc, track and id.
func (s *Store) FullAlbumSongs(ctx context.Context, v Viewer, album Album) ([]FullSong, error) {
	s = s.on(ctx)
	return s.fullSongsBy(ctx, v, "list the songs of an album",
		`SELECT num AS n FROM songs WHERE album = $1 AND available = 1 ORDER BY disc, track, id`, album.num)
}

// fullSongsBy returns the songs whose numbers a query selects as n.
func (s *Store) fullSongsBy(ctx context.Context, v Viewer, doing, query string, args ...any) ([]FullSong, error) {
	nums, err := readNums(ctx, s.prepared, doing, query, args...)
	if err != nil {
		return nil, s.d.explain(err)
	}
	return s.fullSongs(ctx, v, widen(nums))
}

// ArtistAlbums returns the albums of an artist with an available song, by year.
func (s *Store) ArtistAlbums(ctx context.Context, a Artist) ([]Album, error) {
	s = s.on(ctx)
	albums, err := collect(ctx, s.prepared, "list the albums of an artist", scanAlbum, `SELECT `+albumColumns+`
		FROM album_artists x JOIN albums b ON b.num = x.album WHERE x.artist = $1 AND b.song_count > 0
		ORDER BY b.year_sort, b.sort_key, b.num`, a.num)
	return albums, s.d.explain(err)
}

// ArtistLooseSongs returns the available songs of an artist that are on no album.
func (s *Store) ArtistLooseSongs(ctx context.Context, v Viewer, a Artist) ([]FullSong, error) {
	s = s.on(ctx)
	return s.fullSongsBy(ctx, v, "list the songs of an artist without an album", `SELECT x.song AS n FROM song_artists x
		JOIN songs s ON s.num = x.song WHERE x.artist = $1 AND x.listed = 1 AND x.role = 'main' AND s.album IS NULL
		ORDER BY x.shelf, x.song`, a.num)
}

// AlbumsWithoutArtist returns the albums that name no artist: compilations, and those of unknown
// artists.
func (s *Store) AlbumsWithoutArtist(ctx context.Context) ([]Album, error) {
	s = s.on(ctx)
	nums, err := s.orders.get("albums without artist", s.View().songsChanged, func() ([]uint32, error) {
		return readNums(ctx, s.read, "list albums without artist", `SELECT num AS n FROM albums
			WHERE artists = '[]' AND song_count > 0 ORDER BY year_sort, sort_key, num`)
	})
	if err != nil {
		return nil, s.d.explain(err)
	}
	return s.albumsAt(ctx, nums)
}

// RandomAlbums returns up to n albums, each at most once, in an order of chance.
func (s *Store) RandomAlbums(ctx context.Context, n int64) ([]Album, error) {
	s = s.on(ctx)
	nums, err := s.nums(ctx, s.albumsByNum())
	if err != nil {
		return nil, s.d.explain(err)
	}
	return s.albumsAt(ctx, sample(nums, n))
}

// albumsAt reads albums by number, in that order.
func (s *Store) albumsAt(ctx context.Context, nums []uint32) ([]Album, error) {
	if len(nums) == 0 {
		return []Album{}, nil
	}
	albums, _, err := pageOfNums(ctx, s, nums, Page{Number: 1, Limit: int64(len(nums))}, "albums b", "b.num",
		albumColumns, scanAlbum, func(a Album) int64 { return a.num })
	return albums, err
}

// sample returns up to n of the numbers, each at most once, in an order of chance.
func sample(nums []uint32, n int64) []uint32 {
	count := min(n, int64(len(nums)))
	if count <= 0 {
		return nil
	}
	chosen := make([]uint32, 0, count)
	if count > int64(len(nums))/2 {
		for _, i := range rand.Perm(len(nums))[:count] {
			chosen = append(chosen, nums[i])
		}
		return chosen
	}
	used := make(map[int]bool, count)
	for int64(len(chosen)) < count {
		if i := rand.IntN(len(nums)); !used[i] {
			used[i] = true
			chosen = append(chosen, nums[i])
		}
	}
	return chosen
}

// widen converts row numbers.
func widen(nums []uint32) []int64 {
	wide := make([]int64, len(nums))
	for i, num := range nums {
		wide[i] = int64(num)
	}
	return wide
}
