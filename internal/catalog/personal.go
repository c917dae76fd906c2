package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
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

// SongsFor is Songs with what a user did with each.
func (s *Store) SongsFor(ctx context.Context, v Viewer, page Page) ([]Rated[Song], int64, error) {
	songs, total, err := s.songPage(ctx, songColumns, page)
	if err != nil {
		return nil, 0, err
	}
	rated, err := Rate(ctx, s, v, songs)
	return rated, total, err
}

// TrendingFor is Trending with what a user did with each.
func (s *Store) TrendingFor(ctx context.Context, v Viewer, limit int64) ([]Rated[Song], error) {
	songs, err := s.trending(ctx, songColumns, limit)
	if err != nil {
		return nil, err
	}
	return Rate(ctx, s, v, songs)
}

// SongFor is Song with what a user did with it.
func (s *Store) SongFor(ctx context.Context, v Viewer, id string) (Rated[Song], error) {
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
	values, err := Personals(ctx, s, v, rows)
	rated := make([]Rated[T], len(values))
	for i := range values {
		rated[i] = Rated[T]{rows[i], values[i]}
	}
	return rated, err
}

// Personals returns what a user did with each of the rows; see Rate.
func Personals[T Item](ctx context.Context, s *Store, v Viewer, rows []T) ([]Personal, error) {
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

// personals reads the rows of items by number. Like a page of songs, they come as one text.
func (s *Store) personals(ctx context.Context, v Viewer, kind ItemKind, nums []int64) (map[int64]Personal, error) {
	const doing = "read personal data"
	packed, err := collect(ctx, s.prepared, doing,
		func(rows *sql.Rows) (text sql.NullString, err error) { return text, rows.Scan(&text) },
		`SELECT string_agg(concat_ws(',', item, coalesce(liked_at, 0), coalesce(rating, 0), play_count,
			coalesce(last_played_at, 0)), ';') FROM personal
			WHERE `+s.d.among("item")+` AND listener = $2 AND kind = $3`, s.d.list(nums), v.num, int64(kind))
	if err != nil || !packed[0].Valid {
		return nil, err
	}
	found := make(map[int64]Personal, len(nums))
	for row := range strings.SplitSeq(packed[0].String, ";") {
		var n [5]int64
		i := 0
		for part := range strings.SplitSeq(row, ",") {
			if n[i], err = strconv.ParseInt(part, 10, 64); err != nil {
				return nil, fmt.Errorf("%s: %w", doing, err)
			}
			i++
		}
		found[n[0]] = Personal{LikedAt: timeAt(n[1]), Rating: int(n[2]), PlayCount: n[3], LastPlayedAt: timeAt(n[4])}
	}
	return found, nil
}

// timeAt converts milliseconds; 0 is the zero time.
func timeAt(ms int64) time.Time { return timeFrom(sql.NullInt64{Int64: ms, Valid: ms != 0}) }

// PersonalOf returns what a user did with the item of an id.
func (s *Store) PersonalOf(ctx context.Context, v Viewer, id string) (Personal, error) {
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

// changePersonal runs a change that only one user sees: it raises the version of that user and not
// the revision of the catalog. f reports whether it changed anything.
func (s *Store) changePersonal(ctx context.Context, v Viewer, f func(*tx) (changed bool, err error)) error {
	return s.change(ctx, durable, func(t *tx) error {
		t.invisible = true
		changed, err := f(t)
		if changed {
			t.touch(v.num)
		}
		return err
	})
}

// touch raises the version of a user when the change commits.
func (t *tx) touch(listener int64) {
	if t.listeners == nil {
		t.listeners = make(map[int64]bool)
	}
	t.listeners[listener] = true
	t.bump[personalVersion] = 1
}

// writeVersions gives the users of a change the new value of the counter. Its row is locked, so
// that versions ascend in the order of the commits.
func (t *tx) writeVersions(ctx context.Context) error {
	if len(t.listeners) == 0 {
		return nil
	}
	nums := sortedKeys(t.listeners)
	_, err := t.ExecContext(ctx, `UPDATE users SET personal_version = (SELECT value FROM counters WHERE name = 'personal')
		WHERE num IN (`+in(1, len(nums))+`)`, anySlice(nums)...)
	if err != nil {
		return fmt.Errorf("raise the versions of users: %w", err)
	}
	return nil
}

// PersonalVersion increases when the likes, ratings or plays of a user change. Like the revision
// it may be older than the rows, never newer.
func (v View) PersonalVersion(who Viewer) int64 { return v.listeners[who.num] }

// readVersions completes a view with the versions that changed since an earlier one.
func (s *Store) readVersions(ctx context.Context, read, known *View) error {
	var since int64 = -1
	if known != nil {
		since, read.listeners = known.personal, known.listeners
	}
	if read.personal <= since {
		return nil
	}
	read.listeners = maps.Clone(read.listeners)
	if read.listeners == nil {
		read.listeners = make(map[int64]int64)
	}
	_, err := collect(ctx, s.read, "read the versions of users", func(rows *sql.Rows) (none struct{}, err error) {
		var num, version int64
		err = rows.Scan(&num, &version)
		read.listeners[num] = version
		return none, err
	}, `SELECT num, personal_version FROM users WHERE personal_version > $1`, since)
	return err
}

// checkRating returns an Invalid fault for a rating that is not 0 to 5.
func checkRating(rating int) error {
	if rating < 0 || rating > 5 {
		return fault.New(fault.Invalid, "rating must be a whole number from 0 to 5")
	}
	return nil
}
