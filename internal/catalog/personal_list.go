package catalog

import (
	"context"
	"fmt"

	"waxwing/internal/fault"
)

// likedFilter selects the items that a user likes, of those that a query lists.
func likedFilter(view View, v Viewer, kind ItemKind, listed string) rowFilter {
	return rowFilter{
		name: fmt.Sprintf("liked by %d", v.num), version: view.PersonalVersion(v) + view.songsChanged,
		table: "personal", column: "item", args: []any{v.num},
		where: fmt.Sprintf("listener = $1 AND kind = %d AND liked_at IS NOT NULL AND item IN (%s)", kind, listed),
	}
}

// PersonalAlbumSorts are the orders of albums by own plays and ratings. They list only albums that
// the user has played or rated.
func PersonalAlbumSorts() []string { return []string{"frequent", "recent", "rating"} }

// personalSorts are the columns of PersonalAlbumSorts.
var personalSorts = map[string]string{"frequent": "play_count", "recent": "last_played_at", "rating": "rating"}

func (s *Store) albumsByOwn(ctx context.Context, q AlbumQuery, by string, page Page) ([]Album, int64, error) {
	if q.Genre != "" || q.Years != (Range{}) || q.Liked != (Viewer{}) {
		return nil, 0, fault.New(fault.Invalid, "sort=%s cannot be combined with genre, year or liked", q.Sort)
	}
	s.sumPlays(ctx)
	view := s.View()
	list := personalList(view, q.Viewer, AlbumItem, "albums by "+q.Sort+" "+string(q.Order), by,
		"item IN (SELECT num FROM albums WHERE song_count > 0)")
	list.version += view.songsChanged
	list.descending = q.Order.descending(true)
	list.join = "JOIN albums b ON b.num = k.item"
	return countedPage(ctx, s, list, page, albumColumns, scanAlbum)
}
