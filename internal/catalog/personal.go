package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/fault"
)

// ItemKind is what a row of the table personal is about.
type ItemKind int64

// The kinds of items.
const (
	SongItem     ItemKind = 1
	AlbumItem    ItemKind = 2
	ArtistItem   ItemKind = 3
	PlaylistItem ItemKind = 4
)

// Personal is what one user did with a song, album, artist or playlist. The zero value means
// nothing.
type Personal struct {
	LikedAt      time.Time // zero: not liked
	Rating       int       // 1 to 5; 0: not rated
	PlayCount    int64     // plays that count; of an album or artist, those of its songs
	LastPlayedAt time.Time // zero: never
}

// Item is a row that a user can like.
type Item interface{ item() (ItemKind, int64) }

func (s Song) item() (ItemKind, int64)     { return SongItem, s.num }
func (a Album) item() (ItemKind, int64)    { return AlbumItem, a.num }
func (a Artist) item() (ItemKind, int64)   { return ArtistItem, a.num }
func (p Playlist) item() (ItemKind, int64) { return PlaylistItem, p.num }

// Rated is a row with what a user did with it.
type Rated[T any] struct {
	Row T
	Personal
}

// SongsFor is Songs with what a user did with each, in one query: the rows of personal are a range
// of the table like the songs.
func (s *Store) SongsFor(ctx context.Context, v Viewer, page Page) ([]Rated[Song], int64, error) {
	s = s.on(ctx)
	const doing = "list songs with personal data"
	s.sumPlays(ctx)
	r, err := s.rangeOf(ctx, page)
	if err != nil || r.limit == 0 {
		return []Rated[Song]{}, r.total, s.d.explain(err)
	}
	var packed, values sql.NullString
	err = s.prepared.QueryRowContext(ctx, `SELECT (`+packedSQL(songColumns, inSongRange)+`), (`+packedPersonal+
		`m.listener = $3 AND m.kind = 1 AND m.item BETWEEN $1 AND $4)`, r.first, r.limit, v.num, r.last).
		Scan(&packed, &values)
	if err != nil {
		return nil, 0, s.d.explain(fmt.Errorf("%s: %w", doing, err))
	}
	songs, err := unpackSongs(doing, packed)
	if err != nil {
		return nil, 0, err
	}
	found, err := unpackPersonals(doing, values)
	rated := make([]Rated[Song], len(songs))
	for i, song := range songs {
		rated[i] = Rated[Song]{song, found[song.num]}
	}
	return rated, r.total, err
}

// personalValues are the columns of personal m in the order of unpackPersonal.
const personalValues = `coalesce(m.liked_at, 0), coalesce(m.rating, 0), m.play_count, coalesce(m.last_played_at, 0)`

// unpackPersonal parses personalValues.
func unpackPersonal(packed string) (Personal, error) {
	var n [4]int64
	for i := range n {
		var part string
		var err error
		part, packed, _ = strings.Cut(packed, ",")
		if n[i], err = strconv.ParseInt(part, 10, 64); err != nil {
			return Personal{}, fmt.Errorf("unpack personal data: %w", err)
		}
	}
	return Personal{LikedAt: timeAt(n[0]), Rating: int(n[1]), PlayCount: n[2], LastPlayedAt: timeAt(n[3])}, nil
}

// TrendingFor is Trending with what a user did with each.
func (s *Store) TrendingFor(ctx context.Context, v Viewer, limit int64) ([]Rated[Song], error) {
	s = s.on(ctx)
	songs, err := s.trending(ctx, songColumns, limit)
	if err != nil {
		return nil, err
	}
	return Rate(ctx, s, v, songs)
}

// SongFor is Song with what a user did with it.
func (s *Store) SongFor(ctx context.Context, v Viewer, id string) (Rated[Song], error) {
	s = s.on(ctx)
	if !isID(songPrefix, id) {
		return Rated[Song]{}, notFound("song", id)
	}
	song, err := s.songBy(ctx, songColumns, id)
	if err != nil {
		return Rated[Song]{}, err
	}
	rated, err := Rate(ctx, s, v, []Song{song})
	if err != nil {
		return Rated[Song]{}, err
	}
	return rated[0], nil
}

// Rate adds what a user did with each of the rows, which are all of one kind. Songs must not come
// from Songs, Song or Trending, which do not read their numbers.
func Rate[T Item](ctx context.Context, s *Store, v Viewer, rows []T) ([]Rated[T], error) {
	s = s.on(ctx)
	values, err := Personals(ctx, s, v, rows)
	rated := make([]Rated[T], len(values))
	for i := range values {
		rated[i] = Rated[T]{rows[i], values[i]}
	}
	return rated, err
}

// Personals returns what a user did with each of the rows; see Rate.
func Personals[T Item](ctx context.Context, s *Store, v Viewer, rows []T) ([]Personal, error) {
	s = s.on(ctx)
	list := make([]Personal, len(rows))
	if len(rows) == 0 {
		return list, nil
	}
	nums := make([]int64, len(rows))
	var kind ItemKind
	for i, row := range rows {
		kind, nums[i] = row.item()
	}
	found, err := s.personals(ctx, v, kind, nums)
	if err != nil {
		return nil, s.d.explain(err)
	}
	for i, num := range nums {
		list[i] = found[num]
	}
	return list, nil
}

// personals reads the rows of items by number. Like a page of songs, they come as one text. Numbers
// that are close together, as those of songs in the order of the catalog, are read as a range.
func (s *Store) personals(ctx context.Context, v Viewer, kind ItemKind, nums []int64) (map[int64]Personal, error) {
	const doing = "read personal data"
	s.sumPlays(ctx)
	where, args := s.d.among("m.item"), []any{s.d.list(nums), v.num, int64(kind)}
	if first, last := slices.Min(nums), slices.Max(nums); last-first < 2*int64(len(nums)) {
		where, args = `m.item BETWEEN $1 AND $4`, []any{first, v.num, int64(kind), last}
	}
	packed, err := collect(ctx, s.prepared, doing, scanNullText,
		packedPersonal+`m.listener = $2 AND m.kind = $3 AND `+where, args...)
	if err != nil {
		return nil, err
	}
	return unpackPersonals(doing, packed[0])
}

// packedPersonal selects rows of personal m as one text, which unpackPersonals parses.
const packedPersonal = `SELECT string_agg(concat_ws(',', m.item, ` + personalValues + `), ';') FROM personal m WHERE `

func unpackPersonals(doing string, packed sql.NullString) (map[int64]Personal, error) {
	if !packed.Valid {
		return nil, nil
	}
	found := make(map[int64]Personal, strings.Count(packed.String, ";")+1)
	for row := range strings.SplitSeq(packed.String, ";") {
		num, values, _ := strings.Cut(row, ",")
		item, err := strconv.ParseInt(num, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", doing, err)
		}
		if found[item], err = unpackPersonal(values); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// timeAt converts milliseconds; 0 is the zero time.
func timeAt(ms int64) time.Time { return timeFrom(sql.NullInt64{Int64: ms, Valid: ms != 0}) }

// PersonalOf returns what a user did with the item of an id.
func (s *Store) PersonalOf(ctx context.Context, v Viewer, id string) (Personal, error) {
	s = s.on(ctx)
	item, err := findItem(ctx, s.read, v, id)
	if err != nil {
		return Personal{}, s.d.explain(err)
	}
	found, err := s.personals(ctx, v, item.kind, []int64{item.num})
	return found[item.num], s.d.explain(err)
}

// itemRef is the row of an id.
type itemRef struct {
	kind ItemKind
	num  int64
}

// findItem returns the item of an id. An album or artist that was merged into another resolves to
// that one; a private playlist of another user is not found.
func findItem(ctx context.Context, q querier, v Viewer, id string) (itemRef, error) {
	for _, known := range []struct {
		prefix, noun, query string
		kind                ItemKind
		args                []any
	}{
		{songPrefix, "song", `SELECT num, 1, '' FROM songs WHERE id = $1`, SongItem, nil},
		{albumPrefix, "album", `SELECT num, song_count, coalesce((SELECT successor FROM tombstones WHERE id = $1), '')
			FROM albums WHERE id = $1`, AlbumItem, nil},
		{artistPrefix, "artist", `SELECT num, song_count, coalesce((SELECT successor FROM tombstones WHERE id = $1), '')
			FROM artists WHERE id = $1`, ArtistItem, nil},
		{playlistPrefix, "playlist", `SELECT num, 1, '' FROM playlists WHERE id = $1 AND (public = 1 OR owner = $2)`,
			PlaylistItem, []any{v.num}},
	} {
		if !strings.HasPrefix(id, known.prefix) {
			continue
		}
		if !isID(known.prefix, id) {
			return itemRef{}, notFound(known.noun, id)
		}
		var songs int64
		var successor string
		found, err := collect(ctx, q, "find "+known.noun+" "+id, func(rows *sql.Rows) (num int64, err error) {
			return num, rows.Scan(&num, &songs, &successor)
		}, known.query, append([]any{id}, known.args...)...)
		switch {
		case err != nil:
			return itemRef{}, err
		case len(found) == 0:
			return itemRef{}, notFound(known.noun, id)
		case songs == 0 && successor != "":
			return findItem(ctx, q, v, successor)
		}
		return itemRef{known.kind, found[0]}, nil
	}
	return itemRef{}, notFound("song, album, artist or playlist", id)
}

// checkRating returns an Invalid fault for a rating that is not 0 to 5.
func checkRating(rating int) error {
	if rating < 0 || rating > 5 {
		return fault.New(fault.Invalid, "rating must be a whole number from 0 to 5")
	}
	return nil
}
