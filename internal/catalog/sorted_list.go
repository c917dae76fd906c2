package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// sortOrder is an order of a list.
type sortOrder struct {
	name string
	keys []string // the last is unique
	desc bool     // the order that people expect begins with the largest
	// cached reports that no index has the order: see songsByDuration.
	cached bool
	// personal is the column of the table personal that orders songs, instead of keys.
	personal string
}

// rowFilter selects rows of a list: their numbers are in a column of the rows of a table. An index
// has that column behind the columns of the condition, unless unordered is set.
type rowFilter struct {
	name    string // with its value
	version int64  // increases when the selected rows may have changed
	table   string
	column  string
	where   string // with $1 and on for args
	args    []any
	// unordered reports that no index has the selected rows in the order of column.
	unordered bool
	// unlisted reports that unavailable songs may be among the selected rows.
	unlisted bool
}

// sortedList is a list in an order with filters. It is read by an index if there is one for this
// combination, and otherwise from a list of row numbers in memory.
type sortedList struct {
	table   string
	where   string // rows that are listed at all
	version int64  // increases when these or their order may have changed
	sort    sortOrder
	desc    bool
	seed    string // of sortRandom
	filters []rowFilter
	total   int64 // of all rows, if it is known
	// members returns the row numbers of a list without filters, which key identifies. It is nil for
	// all rows of the table.
	members func(context.Context) ([]uint32, error)
	key     string
	owner   int64 // num of the user of sortOrder.personal
	limit   int64 // of the rows; 0: none
}

const sortRandom = "random"

func (l sortedList) name() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s by %s", l.table, l.sort.name)
	if l.desc {
		b.WriteString(" descending")
	}
	if l.sort.name == sortRandom {
		fmt.Fprintf(&b, " %q", l.seed)
	}
	for _, f := range l.filters {
		b.WriteString(", " + f.name)
	}
	if l.members != nil {
		b.WriteString(", " + l.key)
	}
	return b.String()
}

func (l sortedList) ascending() sortedList {
	l.desc = false
	return l
}

// versions is the version of the list with its filters. A sum of counters increases with each.
func (l sortedList) versions() int64 {
	version := l.version
	for _, f := range l.filters {
		version += f.version
	}
	return version
}

// byIndex returns the list as one that an index orders, if there is such an index: without filters,
// or with one filter in the order of row numbers.
func (l sortedList) byIndex(d dialect, alias string) (list ordered, ok bool) {
	list = ordered{name: l.ascending().name(), version: l.versions(), table: l.table, where: l.where, descending: l.desc}
	join := "JOIN " + l.table + " " + alias + " ON " + alias + "."
	switch {
	case l.sort.name == sortRandom || l.members != nil:
		return list, false
	case len(l.filters) == 0 && !l.sort.cached:
		unique := l.sort.keys[len(l.sort.keys)-1]
		list.keys, list.join = l.sort.keys, join+unique+" = k."+unique
		list.rowid = d.rowids && unique == "num"
		return list, true
	case len(l.filters) == 1 && !l.filters[0].unordered && slices.Equal(l.sort.keys, []string{"num"}):
		f := l.filters[0]
		list.table, list.where, list.args = f.table, f.where, f.args
		list.keys, list.join = []string{f.column}, join+"num = k."+f.column
		return list, true
	}
	return list, false
}

// nums returns the row numbers of the list in its order.
func (s *Store) nums(ctx context.Context, l sortedList) ([]uint32, error) {
	return s.orders.get(l.name(), l.versions(), func() ([]uint32, error) {
		if l.members != nil {
			return s.sortedMembers(ctx, l)
		}
		if len(l.filters) == 0 {
			return s.unfiltered(ctx, l)
		}
		var sets []numSet
		var found []uint32
		for i, f := range l.filters {
			selected, err := s.selected(ctx, l.table, f)
			if err != nil {
				return nil, err
			}
			if i == 0 || len(selected) < len(found) {
				found = selected
			}
			sets = append(sets, newNumSet(selected))
		}
		for _, set := range sets {
			found = set.keep(found)
		}
		return s.sorted(ctx, l, found)
	})
}

// selected returns the numbers of the rows that a filter of a table selects.
func (s *Store) selected(ctx context.Context, table string, f rowFilter) ([]uint32, error) {
	nums, err := readNums(ctx, s.read, "filter "+table, fmt.Sprintf("SELECT %s AS n FROM %s WHERE %s",
		f.column, f.table, f.where), f.args...)
	if err == nil && f.unlisted {
		return s.listedSongs(ctx, nums)
	}
	return nums, err
}

// sortedMembers returns the members of a list in its order, up to its limit.
func (s *Store) sortedMembers(ctx context.Context, l sortedList) ([]uint32, error) {
	found, err := l.members(ctx)
	if err != nil {
		return nil, err
	}
	if found, err = s.sorted(ctx, l, found); err != nil {
		return nil, err
	}
	if l.limit > 0 && int64(len(found)) > l.limit {
		found = slices.Clone(found[:l.limit])
	}
	return found, nil
}

// fewNums is the number of rows below which sorting them is faster than reading the whole order.
const fewNums = 5000

// sorted puts selected row numbers into the order of the list.
func (s *Store) sorted(ctx context.Context, l sortedList, nums []uint32) ([]uint32, error) {
	switch {
	case l.sort.name == sortRandom:
		return shuffled(nums, l.seed), nil
	case l.sort.personal != "":
		return s.sortedByPersonal(ctx, l, nums)
	case slices.Equal(l.sort.keys, []string{"num"}):
		slices.Sort(nums)
		if l.desc {
			slices.Reverse(nums)
		}
		return nums, nil
	case len(nums) < fewNums:
		wide := make([]int64, len(nums))
		for i, num := range nums {
			wide[i] = int64(num)
		}
		return readNums(ctx, s.read, "sort "+l.table, fmt.Sprintf("SELECT num AS n FROM %s WHERE %s AND %s ORDER BY %s",
			l.table, l.where, s.d.among("num"), ordered{keys: l.sort.keys, descending: l.desc}.order("")), s.d.list(wide))
	}
	whole := l.ascending()
	whole.filters, whole.members = nil, nil
	order, err := s.nums(ctx, whole)
	if err != nil {
		return nil, err
	}
	kept := newNumSet(nums).keep(order)
	if l.desc {
		slices.Reverse(kept)
	}
	return kept, nil
}

// unfiltered reads the numbers of all rows in the order of the list.
func (s *Store) unfiltered(ctx context.Context, l sortedList) ([]uint32, error) {
	if l.sort.name == sortRandom {
		all := l
		all.sort, all.desc = sortOrder{name: "num", keys: []string{"num"}}, false
		nums, err := s.nums(ctx, all)
		return shuffled(nums, l.seed), err
	}
	if l.desc {
		nums, err := s.nums(ctx, l.ascending())
		nums = slices.Clone(nums)
		slices.Reverse(nums)
		return nums, err
	}
	if l.sort.cached {
		return s.songsByDuration(ctx)
	}
	return readNums(ctx, s.read, "sort "+l.table, fmt.Sprintf("SELECT num AS n FROM %s WHERE %s ORDER BY %s",
		l.table, l.where, ordered{keys: l.sort.keys}.order("")))
}

// sortedPage reads a page of a list. alias is the name of its table in columns; num returns the
// number of a row.
func sortedPage[T any](
	ctx context.Context, s *Store, l sortedList, page Page, alias, columns string,
	scan func(*sql.Rows) (T, error), num func(T) int64,
) (rows []T, total int64, err error) {
	if list, ok := l.byIndex(s.d, alias); ok {
		if l.total > 0 && len(l.filters) == 0 {
			rows, err = pageOf(ctx, s, list, page, l.total, columns, scan)
			return rows, l.total, err
		}
		return countedPage(ctx, s, list, page, columns, scan)
	}
	nums, err := s.nums(ctx, l)
	if err != nil {
		return nil, 0, s.d.explain(err)
	}
	return pageOfNums(ctx, s, nums, page, l.table+" "+alias, alias+".num", columns, scan, num)
}

// pageOfNums reads a page of a list of row numbers. key is the column of the numbers.
func pageOfNums[T any](
	ctx context.Context, s *Store, nums []uint32, page Page, table, key, columns string,
	scan func(*sql.Rows) (T, error), num func(T) int64,
) (rows []T, total int64, err error) {
	total = int64(len(nums))
	if page.Number < 1 || page.offset() >= total {
		return []T{}, total, nil
	}
	wanted := nums[page.offset():min(page.offset()+page.Limit, total)]
	place := make(map[int64]int, len(wanted))
	list := make([]int64, len(wanted))
	for i, n := range wanted {
		place[int64(n)], list[i] = i, int64(n)
	}
	rows, err = collect(ctx, s.prepared, "list "+table, scan,
		`SELECT `+columns+` FROM `+table+` WHERE `+s.d.among(key), s.d.list(list))
	slices.SortFunc(rows, func(a, b T) int { return place[num(a)] - place[num(b)] })
	return rows, total, s.d.explain(err)
}
