package catalog

import (
	"context"
	"fmt"
)

// likedFilter selects the items that a user likes, of those that a query lists; "" means all.
func likedFilter(view View, v Viewer, kind ItemKind, listed string) rowFilter {
	f := rowFilter{
		name: fmt.Sprintf("liked by %d", v.num), version: view.PersonalVersion(v) + view.songsChanged,
		table: "personal", column: "item", args: []any{v.num},
		where: fmt.Sprintf("listener = $1 AND kind = %d AND liked_at IS NOT NULL", kind),
	}
	if listed != "" {
		f.where += " AND item IN (" + listed + ")"
	}
	return f
}

// PersonalAlbumSorts are the orders of albums by own plays and ratings. They list only albums that
// the user has played or rated.
func PersonalAlbumSorts() []string { return []string{"frequent", "recent", "rating"} }

// personalSorts are the columns of PersonalAlbumSorts.
var personalSorts = map[string]string{"frequent": "play_count", "recent": "last_played_at", "rating": "rating"}

func (s *Store) albumsByOwn(ctx context.Context, q AlbumQuery, by string, page Page) ([]Album, int64, error) {
	s.sumPlays(ctx)
	view := s.View()
	filters, err := s.albumFilters(ctx, q, view)
	if err != nil {
		return nil, 0, err
	}
	list := ordered{keys: []string{"m." + by, "m.item"}, descending: q.Order.descending(true)}
	name := fmt.Sprintf("albums of %d by %s", q.Viewer.num, list.order(""))
	version := view.PersonalVersion(q.Viewer) + view.songsChanged
	for _, f := range filters {
		name, version = name+", "+f.name, version+f.version
	}
	nums, err := s.orders.get(name, version, func() ([]uint32, error) {
		// SQLite keeps the tables of a CROSS JOIN in their order.
		nums, err := readNums(ctx, s.read, "list albums", fmt.Sprintf(`SELECT m.item AS n FROM personal m CROSS JOIN albums b
			WHERE m.listener = $1 AND m.kind = %d AND m.%s AND b.num = m.item AND b.song_count > 0 ORDER BY %s`,
			AlbumItem, personalConditions[by], list.order("")), q.Viewer.num)
		for _, f := range filters {
			if err != nil {
				break
			}
			var selected []uint32
			selected, err = s.selected(ctx, "albums", f)
			nums = newNumSet(selected).keep(nums)
		}
		return nums, err
	})
	if err != nil {
		return nil, 0, s.d.explain(err)
	}
	return pageOfNums(ctx, s, nums, page, "albums b", "b.num", albumColumns, scanAlbum,
		func(a Album) int64 { return a.num })
}
