package catalog

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"
)

// Counted is a row with a number of plays.
type Counted[T any] struct {
	Row   T
	Plays int64
}

// TopSongs returns a page of the songs that a user played most since a time; the zero time means
// ever. Of equal ones the song that was added last comes first.
func (s *Store) TopSongs(ctx context.Context, v Viewer, since time.Time, page Page) ([]Counted[Song], int64, error) {
	s = s.on(ctx)
	return topPage(ctx, s, v, since, page, topList[Song]{
		kind: SongItem, name: "top songs", table: "songs s", num: "s.num", columns: songColumns, scan: scanOneSong,
		source: `SELECT song AS item FROM plays p`,
	})
}

// TopAlbums is TopSongs for albums.
func (s *Store) TopAlbums(ctx context.Context, v Viewer, since time.Time, page Page) ([]Counted[Album], int64, error) {
	s = s.on(ctx)
	return topPage(ctx, s, v, since, page, topList[Album]{
		kind: AlbumItem, name: "top albums", table: "albums b", num: "b.num", columns: albumColumns, scan: scanAlbum,
		source: `SELECT s.album AS item FROM plays p JOIN songs s ON s.num = p.song AND s.album IS NOT NULL`,
	})
}

// TopArtists is TopSongs for main and featured artists.
func (s *Store) TopArtists(
	ctx context.Context, v Viewer, since time.Time, page Page,
) ([]Counted[Artist], int64, error) {
	s = s.on(ctx)
	return topPage(ctx, s, v, since, page, topList[Artist]{
		kind: ArtistItem, name: "top artists", table: "artists a", num: "a.num", columns: artistColumns, scan: scanArtist,
		source: `SELECT x.artist AS item FROM plays p JOIN song_artists x ON x.song = p.song
			AND x.role IN ('main', 'featured') AND NOT EXISTS (SELECT 1 FROM song_artists o WHERE o.song = x.song
			AND o.artist = x.artist AND o.role IN ('main', 'featured') AND o.position < x.position)`,
	})
}

// topList says how to read a top list.
type topList[T Item] struct {
	kind                      ItemKind
	name, table, num, columns string
	source                    string // selects the items of plays p
	scan                      func(*sql.Rows) (T, error)
}

func topPage[T Item](
	ctx context.Context, s *Store, v Viewer, since time.Time, page Page, l topList[T],
) (top []Counted[T], total int64, err error) {
	if !since.IsZero() {
		return topSince(ctx, s, v, since, page, l)
	}
	s.sumPlays(ctx)
	list := personalList(s.View(), v, l.kind, l.name, "play_count", "")
	list.join = "JOIN " + l.table + " ON " + l.num + " = k.item"
	list.forward = true // the condition play_count > 0 would replace the bookmark
	rows, total, err := countedPage(ctx, s, list, page, l.columns, l.scan)
	if err != nil {
		return nil, 0, err
	}
	values, err := Personals(ctx, s, v, rows)
	for i := range values {
		top = append(top, Counted[T]{rows[i], values[i].PlayCount})
	}
	return top, total, err
}

// topStep is how far apart the beginnings of the periods are that top lists distinguish.
const topStep = 10 * time.Minute

// topSince counts the plays of a period once per version of the user, and keeps the result like an
// order: each item is followed by its number of plays.
func topSince[T Item](
	ctx context.Context, s *Store, v Viewer, since time.Time, page Page, l topList[T],
) (top []Counted[T], total int64, err error) {
	from, view := since.Truncate(topStep).UnixMilli(), s.View()
	key := fmt.Sprintf("%s of %d since %d", l.name, v.num, from)
	list, err := s.orders.get(key, view.PersonalVersion(v)+view.songsChanged, func() ([]uint32, error) {
		return readNums(ctx, s.read, "list "+l.name, `SELECT CAST(item AS TEXT) || ',' || CAST(n AS TEXT) AS n FROM (
			SELECT item, count(*) AS n FROM (`+l.source+` WHERE p.listener = $1 AND p.played_at >= $2 AND p.counted = 1) i
			GROUP BY item ORDER BY n DESC, item DESC) top`, v.num, from)
	})
	total = int64(len(list) / 2)
	if err != nil || page.Number < 1 || page.offset() >= total {
		return nil, total, s.d.explain(err)
	}
	list = list[2*page.offset() : 2*min(page.offset()+page.Limit, total)]
	var nums []int64
	plays := make(map[int64]int64)
	for pair := range slices.Chunk(list, 2) {
		nums, plays[int64(pair[0])] = append(nums, int64(pair[0])), int64(pair[1])
	}
	rows, err := collect(ctx, s.read, "list "+l.name, l.scan,
		`SELECT `+l.columns+` FROM `+l.table+` WHERE `+s.d.among(l.num), s.d.list(nums))
	for _, row := range rows {
		_, num := row.item()
		top = append(top, Counted[T]{row, plays[num]})
	}
	slices.SortFunc(top, func(a, b Counted[T]) int {
		_, x := a.Row.item()
		_, y := b.Row.item()
		return cmp.Or(cmp.Compare(b.Plays, a.Plays), cmp.Compare(y, x))
	})
	return top, total, s.d.explain(err)
}
