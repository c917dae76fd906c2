package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// ordered is a list in the total order of an index. A page is read from the nearest bookmark before
// it, the keys of a row whose place from the nearer end is known, so that it costs the same at any
// depth. A list and its reverse share their bookmarks.
type ordered struct {
	name    string
	scope   int64 // num of the user, artist or album of the list; 0: none
	version int64 // increases when rows or order may have changed
	table   string
	where   string // with $1 and on for args
	args    []any
	keys    []string // columns of the order, none of them NULL
	also    []string // further columns of the table for the join
	join    string   // from row k of the table to the rows of the page
	// descending reverses the order of all keys.
	descending bool
	// rowid reports that the last key is SQLite's rowid, which it does not use to find a row value in
	// an index.
	rowid bool
	// forward reports that pages are never read from the end, because SQLite would not find the
	// bookmarks there.
	forward bool
}

const (
	bookmarkSpacing = 500
	bookmarkedLists = 64 // lists in the cache
	// bookmarkStep is how many bookmarks are left out at most on the way to a page: skipping rows of
	// an index is faster than many queries.
	bookmarkStep = 8
	// farPage is how many rows the start of a list must be farther than its end for a page to be read
	// from the end: the last pages of a long list need no bookmarks, then.
	farPage = 10 * bookmarkSpacing
)

type bookmarkKey struct {
	name  string
	scope int64
}

// bookmarks caches the bookmarks of the lists used last.
type bookmarks struct {
	mu    sync.Mutex
	lists map[bookmarkKey]*bookmarkedList
	clock int64
	// farPage, bookmarkSpacing and walkedLists, except in tests.
	far, spacing, walked int64
}

type bookmarkedList struct {
	mu      sync.Mutex
	version int64
	counted bool
	total   int64
	marks   [][]any // marks[i] are the keys of row (i+1)*spacing, or nil if they are not known
	used    int64
}

func newBookmarks() *bookmarks {
	return &bookmarks{
		lists: make(map[bookmarkKey]*bookmarkedList), far: farPage, spacing: bookmarkSpacing, walked: walkedLists,
	}
}

// walk reports whether the lists of a catalog with so many songs are walked in advance.
func (b *bookmarks) walk(songs int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return songs >= b.walked
}

func (b *bookmarks) list(key bookmarkKey) *bookmarkedList {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clock++
	l, ok := b.lists[key]
	if !ok {
		if len(b.lists) >= bookmarkedLists {
			oldest := key
			least := b.clock
			for k, known := range b.lists {
				if known.used < least {
					oldest, least = k, known.used
				}
			}
			delete(b.lists, oldest)
		}
		l = &bookmarkedList{}
		b.lists[key] = l
	}
	l.used = b.clock
	return l
}

// at resets the list if its version has changed. The list's mutex is held.
func (l *bookmarkedList) at(version int64) {
	if l.version != version {
		l.version, l.counted, l.marks = version, false, nil
	}
}

// total counts the rows of a list once per version.
func (b *bookmarks) total(ctx context.Context, q querier, list ordered) (int64, error) {
	l := b.list(bookmarkKey{list.name, list.scope})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at(list.version)
	if !l.counted {
		query := fmt.Sprintf("SELECT count(*) FROM %s WHERE %s", list.table, list.where)
		if err := q.QueryRowContext(ctx, query, list.args...).Scan(&l.total); err != nil {
			return 0, fmt.Errorf("count %s: %w", list.name, err)
		}
		l.counted = true
	}
	return l.total, nil
}

// start returns the keys of the bookmark before offset and how many rows to skip from there.
// Without keys, the page is read from the start of the list.
func (b *bookmarks) start(
	ctx context.Context, q querier, list ordered, offset int64,
) (keys []any, skip int64, err error) {
	n := int(offset / b.spacing)
	if n == 0 {
		return nil, offset, nil
	}
	l := b.list(bookmarkKey{list.name, list.scope})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at(list.version)
	if short := n - len(l.marks); short > 0 {
		l.marks = append(l.marks, make([][]any, short)...)
	}
	known := n
	for known > 0 && l.marks[known-1] == nil {
		known--
	}
	for known < n {
		step := n - known
		if step > bookmarkStep {
			step = max(bookmarkStep, step/bookmarkStep)
		}
		if known > 0 {
			keys = l.marks[known-1]
		}
		next, err := list.keysAfter(ctx, q, keys, int64(step)*b.spacing)
		if err != nil {
			return nil, 0, err
		}
		if next == nil { // end of the list
			break
		}
		known += step
		l.marks[known-1] = next
	}
	if known == 0 {
		return nil, offset, nil
	}
	return l.marks[known-1], offset - int64(known)*b.spacing, nil
}

// keysAfter returns the keys of the row that is skip rows after the row with the given keys.
func (list ordered) keysAfter(ctx context.Context, q querier, keys []any, skip int64) ([]any, error) {
	if !list.rowid || len(keys) < 2 {
		query, args := list.narrow(list.keys, keys, 1, skip)
		return list.readKeys(ctx, q, query, args)
	}
	// One part after the other: SQLite skips rows of a union slowly.
	args := append(slices.Clone(list.args), keys...)
	for i, where := range list.following(keys) {
		part := fmt.Sprintf("FROM %s WHERE %s", list.table, where)
		used := args[:len(args)-i]
		found, err := list.readKeys(ctx, q, fmt.Sprintf("SELECT %s %s ORDER BY %s LIMIT 1 OFFSET %d",
			strings.Join(list.keys, ", "), part, list.order(""), skip), used)
		if found != nil || err != nil {
			return found, err
		}
		var rows int64
		if err := q.QueryRowContext(ctx, "SELECT count(*) "+part, used...).Scan(&rows); err != nil {
			return nil, fmt.Errorf("count rows of %s: %w", list.name, err)
		}
		skip -= rows
	}
	return nil, nil
}

// readKeys returns the keys of the row that a query finds, or nil.
func (list ordered) readKeys(ctx context.Context, q querier, query string, args []any) ([]any, error) {
	found, err := collect(ctx, q, "find a bookmark in "+list.name, func(rows *sql.Rows) ([]any, error) {
		keys := make([]any, len(list.keys))
		into := make([]any, len(keys))
		for i := range keys {
			into[i] = &keys[i]
		}
		err := rows.Scan(into...)
		return keys, err
	}, query, args...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// narrow selects columns of limit rows after skipping skip rows, beginning with the row with the
// given keys. An index contains all columns, so that skipping reads no rows. The limit is part of
// the text, because PostgreSQL's generic plans for a limit parameter are bad.
func (list ordered) narrow(columns []string, keys []any, limit, skip int64) (string, []any) {
	args := append([]any(nil), list.args...)
	if list.rowid && len(keys) > 1 {
		return list.narrowByRowid(columns, keys, limit, skip), append(args, keys...)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "SELECT %s FROM %s WHERE %s", strings.Join(columns, ", "), list.table, list.where)
	if len(keys) > 0 {
		compare := ">="
		if list.descending {
			compare = "<="
		}
		fmt.Fprintf(&b, " AND (%s) %s (%s)", strings.Join(list.keys, ", "), compare, in(len(args)+1, len(keys)))
		args = append(args, keys...)
	}
	fmt.Fprintf(&b, " ORDER BY %s LIMIT %d OFFSET %d", list.order(""), limit, skip)
	return b.String(), args
}

// narrowByRowid is narrow in one part for each condition of following.
func (list ordered) narrowByRowid(columns []string, keys []any, limit, skip int64) string {
	var parts []string
	for _, where := range list.following(keys) {
		parts = append(parts, fmt.Sprintf("SELECT %s FROM %s WHERE %s", strings.Join(columns, ", "), list.table, where))
	}
	return fmt.Sprintf("%s ORDER BY %s LIMIT %d OFFSET %d", strings.Join(parts, " UNION ALL "), list.order(""), limit,
		skip)
}

// following returns conditions that divide the rows from the one with the given keys on, in their
// order: the rows that are equal in all keys before one of them and follow in this one.
func (list ordered) following(keys []any) (conditions []string) {
	compare := ">"
	if list.descending {
		compare = "<"
	}
	from := len(list.args) + 1
	for i := range slices.Backward(keys) {
		var b strings.Builder
		b.WriteString(list.where)
		for k, key := range list.keys[:i] {
			fmt.Fprintf(&b, " AND %s = $%d", key, from+k)
		}
		orEqual := ""
		if i == len(keys)-1 {
			orEqual = "="
		}
		fmt.Fprintf(&b, " AND %s %s%s $%d", list.keys[i], compare, orEqual, from+i)
		conditions = append(conditions, b.String())
	}
	return conditions
}

// wide selects columns of the joined rows for the rows of narrow.
func (list ordered) wide(columns string, keys []any, limit, skip int64) (string, []any) {
	inner, args := list.narrow(append(slices.Clone(list.keys), list.also...), keys, limit, skip)
	return fmt.Sprintf("SELECT %s FROM (%s) k %s ORDER BY %s", columns, inner, list.join, list.order("k.")), args
}

// order returns the keys of an ORDER BY clause, each with a prefix.
func (list ordered) order(prefix string) string {
	direction := ""
	if list.descending {
		direction = " DESC"
	}
	return prefix + strings.Join(list.keys, direction+", "+prefix) + direction
}

// countedPage counts the rows of an ordered list and reads one page.
func countedPage[T any](
	ctx context.Context, s *Store, list ordered, page Page, columns string, scan func(*sql.Rows) (T, error),
) (rows []T, total int64, err error) {
	if total, err = s.bookmarks.total(ctx, s.read, list); err != nil {
		return nil, 0, s.d.explain(err)
	}
	rows, err = pageOf(ctx, s, list, page, total, columns, scan)
	return rows, total, err
}

// pageOf reads one page of an ordered list of total rows.
func pageOf[T any](
	ctx context.Context, s *Store, list ordered, page Page, total int64, columns string, scan func(*sql.Rows) (T, error),
) ([]T, error) {
	if page.Number < 1 || page.offset() >= total {
		return []T{}, nil
	}
	offset, limit := page.offset(), min(page.Limit, total-page.offset())
	after := total - offset - limit
	backward := after < offset-s.bookmarks.far && !list.forward
	if backward {
		list.descending, offset = !list.descending, after
	}
	if list.descending {
		list.name += " from the end"
	}
	keys, skip, err := s.bookmarks.start(ctx, s.read, list, offset)
	if err != nil {
		return nil, s.d.explain(err)
	}
	query, args := list.wide(columns, keys, limit, skip)
	rows, err := collect(ctx, s.read, "list "+list.name, scan, query, args...)
	if backward {
		slices.Reverse(rows)
	}
	return rows, s.d.explain(err)
}
