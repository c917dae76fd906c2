package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
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
	nums := make([]uint32, len(albums))
	for i, a := range albums {
		nums[i] = uint32(a.num)
	}
	return s.fullAlbumsAt(ctx, v, nums)
}

// fullAlbumsAt reads albums by number, in that order; a number may occur more than once.
func (s *Store) fullAlbumsAt(ctx context.Context, v Viewer, nums []uint32) ([]FullAlbum, error) {
	if len(nums) == 0 {
		return []FullAlbum{}, nil
	}
	s.sumPlays(ctx)
	genres, err := s.genreNames(ctx)
	if err == nil {
		var albums []FullAlbum
		albums, err = inHalves(ctx, widen(nums), func(ctx context.Context, nums []int64) ([]FullAlbum, error) {
			return s.readFullAlbums(ctx, v, nums, genres)
		})
		if err == nil {
			return albums, nil
		}
	}
	return nil, s.d.explain(fmt.Errorf("read albums with all that is known: %w", err))
}

// readFullAlbums reads albums and what belongs to them with one query, like readFullSongs.
func (s *Store) readFullAlbums(
	ctx context.Context, v Viewer, nums []int64, genres map[int64]string,
) ([]FullAlbum, error) {
	where, args := s.d.among, []any{s.d.list(nums), v.num}
	if first, last := slices.Min(nums), slices.Max(nums); last-first < 2*int64(len(nums)) {
		where = func(column string) string { return column + " BETWEEN $1 AND $3" }
		args = []any{first, v.num, last}
	}
	var packed, personal, kinds sql.NullString
	err := s.prepared.QueryRowContext(ctx, `SELECT (SELECT string_agg(album, '`+songSeparator+`') FROM (SELECT `+
		albumColumns+` AS album FROM albums b WHERE `+where("b.num")+`) x), (`+packedPersonal+
		`m.listener = $2 AND m.kind = 2 AND `+where("m.item")+`), (SELECT string_agg(concat_ws(',', album, genre), ';')
		FROM (SELECT album, genre FROM album_genres WHERE `+where("album")+` AND songs > 0
		ORDER BY album, songs DESC, genre) y)`, args...).
		Scan(&packed, &personal, &kinds)
	if err != nil {
		return nil, err
	}
	mine, err := unpackPersonals("read personal data", personal)
	if err != nil {
		return nil, err
	}
	found := make(map[int64]*FullAlbum, len(nums))
	if packed.Valid {
		for text := range strings.SplitSeq(packed.String, songSeparator) {
			album, err := unpackAlbum(text)
			if err != nil {
				return nil, err
			}
			found[album.num] = &FullAlbum{Album: album, Personal: mine[album.num]}
		}
	}
	err = eachPart(kinds, func(album int64, genre string) error {
		n, err := strconv.ParseInt(genre, 10, 64)
		if a, name := found[album], genres[n]; a != nil && name != "" {
			a.Genres = append(a.Genres, name)
		}
		return err
	})
	albums := make([]FullAlbum, 0, len(nums))
	for _, num := range nums {
		if a := found[num]; a != nil {
			albums = append(albums, *a)
		}
	}
	return albums, err
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
// artists; at most limit of them, and how many there are.
func (s *Store) AlbumsWithoutArtist(ctx context.Context, limit int64) (albums []Album, total int64, err error) {
	s = s.on(ctx)
	nums, err := s.orders.get("albums without artist", s.View().songsChanged, func() ([]uint32, error) {
		return readNums(ctx, s.read, "list albums without artist", `SELECT num AS n FROM albums
			WHERE artists = '[]' AND song_count > 0 ORDER BY year_sort, sort_key, num`)
	})
	if err != nil {
		return nil, 0, s.d.explain(err)
	}
	albums, err = s.albumsAt(ctx, part(nums, 0, limit))
	return albums, int64(len(nums)), err
}

// RandomAlbums returns up to n albums, each at most once, in an order of chance.
func (s *Store) RandomAlbums(ctx context.Context, v Viewer, n int64) ([]FullAlbum, error) {
	s = s.on(ctx)
	nums, err := s.nums(ctx, s.albumsByNum())
	if err != nil {
		return nil, s.d.explain(err)
	}
	return s.fullAlbumsAt(ctx, v, sample(nums, n))
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
