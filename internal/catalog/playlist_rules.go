package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"waxwing/internal/rules"
	"waxwing/internal/words"
)

// ruleEval evaluates the rules of a smart playlist at one version of the catalog. Every rule is a
// query for the songs that match it, and its result is cached as a set by itself: a play of the
// owner does not read the titles again. Groups combine the sets.
type ruleEval struct {
	s     *Store
	view  View
	owner int64
	now   time.Time
}

// songs returns the numbers of the available songs that match, ascending.
func (e ruleEval) songs(ctx context.Context, root rules.Node) ([]uint32, error) {
	all, err := e.available(ctx)
	if err != nil {
		return nil, err
	}
	set, err := e.eval(ctx, root, all)
	return set.and(all).nums(), err
}

// available returns the set of all available songs. Their numbers have no gaps.
func (e ruleEval) available(ctx context.Context) (songBits, error) {
	gone, err := e.s.unavailable.at(ctx, e.s, e.view.songsOrder)
	if err != nil {
		return nil, err
	}
	all := songRange(1, e.view.Songs+int64(len(gone))+1)
	for _, num := range gone {
		all.remove(num)
	}
	return all, nil
}

// eval returns the songs that match a node; others than the available ones may be among them.
func (e ruleEval) eval(ctx context.Context, n rules.Node, all songBits) (songBits, error) {
	if n.Nodes == nil {
		return e.field(ctx, n, all)
	}
	var found songBits
	for i, node := range n.Nodes {
		set, err := e.eval(ctx, node, all)
		switch {
		case err != nil:
			return nil, err
		case i == 0:
			found = set
		case n.Any:
			found = found.or(set)
		default:
			found = found.and(set)
		}
	}
	return found, nil
}

func (e ruleEval) field(ctx context.Context, n rules.Node, all songBits) (set songBits, err error) {
	switch {
	case n.Field.Name == "added":
		set, err = e.added(ctx, n, all)
	case n.Field.Personal && n.Field.Kind == rules.Number:
		set, err = e.counted(ctx, n, all)
	default:
		set, err = e.read(ctx, e.query(n))
	}
	if n.Negated {
		set = all.without(set)
	}
	return set, err
}

// added returns the songs of a range of times. Numbers follow the time at which a song was added.
func (e ruleEval) added(ctx context.Context, n rules.Node, all songBits) (songBits, error) {
	first, last := int64(1), int64(32*len(all))
	for _, end := range []struct {
		m    *rules.Moment
		into *int64
	}{{n.From, &first}, {n.To, &last}} {
		if end.m == nil {
			continue
		}
		at := end.m.At(e.now)
		var failed error
		found := sort.Search(int(last-1), func(i int) bool {
			var created int64
			err := e.s.prepared.QueryRowContext(ctx, `SELECT created_at FROM songs WHERE num = $1`, i+1).Scan(&created)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				failed = err
			}
			return err != nil || created >= at
		})
		if failed != nil {
			return nil, fmt.Errorf("find songs by time: %w", failed)
		}
		*end.into = int64(found) + 1
	}
	return songRange(first, last), nil
}

// counted returns the songs by a number of the owner. Songs without a row have 0.
func (e ruleEval) counted(ctx context.Context, n rules.Node, all songBits) (songBits, error) {
	var numbers []any
	zero := n.Compare == rules.Between && n.Numbers[0] <= 0 && n.Numbers[1] >= 0
	if n.Compare == rules.OneOf {
		for _, number := range n.Numbers {
			zero = zero || number == 0
			if number > 0 {
				numbers = append(numbers, number)
			}
		}
	}
	column := n.Field.Name
	switch {
	case n.Compare == rules.Between && zero:
		over, err := e.read(ctx, e.personal(column, column+" > $2", n.Numbers[1]))
		return all.without(over), err
	case n.Compare == rules.Between:
		return e.read(ctx, e.personal(column, column+" BETWEEN $2 AND $3", n.Numbers[0], n.Numbers[1]))
	}
	var set songBits
	var err error
	if len(numbers) > 0 {
		set, err = e.read(ctx, e.personal(column, column+" IN ("+in(2, len(numbers))+")", numbers...))
	}
	if zero && err == nil {
		var over songBits
		over, err = e.read(ctx, e.personal(column, column+" > $2", int64(0)))
		set = set.or(all.without(over))
	}
	return set, err
}

// songQuery selects songs as column n.
type songQuery struct {
	version int64
	text    string
	args    []any
}

// name identifies the query with its values.
func (q songQuery) name() string { return fmt.Sprintf("songs of %s %#v", q.text, q.args) }

// read runs a query once per version.
func (e ruleEval) read(ctx context.Context, q songQuery) (songBits, error) {
	e.s.sumPlays(ctx)
	return e.s.orders.get(q.name(), q.version, func() ([]uint32, error) {
		nums, err := readNums(ctx, e.s.read, "find songs by a rule", q.text, q.args...)
		return bitsOf(nums), err
	})
}

// personal selects songs by the owner's row; the parameters of where begin at $2.
func (e ruleEval) personal(column, where string, args ...any) songQuery {
	known := column
	if column == "last_played" || column == "liked" {
		known = map[string]string{"last_played": "last_played_at", "liked": "liked_at"}[column]
	}
	return songQuery{e.view.listeners[e.owner], fmt.Sprintf(`SELECT item AS n FROM personal WHERE listener = $1
		AND kind = 1 AND %s AND %s`, personalConditions[known], where), append([]any{e.owner}, args...)}
}

// query returns the query of a rule without its negation. Values are parameters, never text.
func (e ruleEval) query(n rules.Node) songQuery {
	q := songQuery{version: e.view.songsChanged}
	switch n.Field.Name {
	case "title":
		where, args := e.textCondition(n, "t.title", 1)
		q.text, q.args = `SELECT t.song AS n FROM song_texts t WHERE `+where, args
		if n.Compare == rules.OneOf { // the index of titles finds the candidates
			q.text = `SELECT t.song AS n FROM songs s JOIN song_texts t ON t.song = s.num WHERE s.available = 1
				AND s.title_sort IN (` + in(len(args)+1, len(args)) + `) AND ` + where
			for _, text := range n.Texts {
				q.args = append(q.args, words.SortKey(text))
			}
		}
	case "album", "path":
		where, args := e.textCondition(n, n.Field.Name, 1)
		q.text, q.args = `SELECT song AS n FROM song_texts WHERE `+where, args
	case "artist":
		where, args := e.textCondition(n, "a.name_key", 1)
		q.text, q.args = `SELECT x.song AS n FROM artists a JOIN song_artists x ON x.artist = a.num
			WHERE x.listed = 1 AND `+where, args
	case "genre":
		where, args := e.textCondition(n, "g.name_key", 1)
		q.text, q.args = `SELECT x.song AS n FROM genres g JOIN song_genres x ON x.genre = g.num
			WHERE x.listed = 1 AND `+where, args
	case "format":
		where, args := e.textCondition(n, "format", 1)
		q.text, q.args = `SELECT num AS n FROM songs WHERE available = 1 AND `+where, args
	case "year", "duration":
		q.text = `SELECT num AS n FROM songs WHERE available = 1 AND ` + n.Field.Name
		q.args = anySlice(n.Numbers)
		if n.Compare == rules.Between {
			q.text += ` BETWEEN $1 AND $2`
		} else {
			q.text += ` IN (` + in(1, len(q.args)) + `)`
		}
		if n.Field.Name == "year" { // 0 is unknown
			q.text += ` AND year > 0`
		}
	case "liked":
		return e.personal("liked", "TRUE")
	case "last_played":
		from, to := int64(0), int64(1<<62)
		if n.From != nil {
			from = n.From.At(e.now)
		}
		if n.To != nil {
			to = n.To.At(e.now)
		}
		return e.personal("last_played", "last_played_at >= $2 AND last_played_at < $3", from, to)
	}
	return q
}

// textCondition compares a column of folded text with parameters from number first on.
func (e ruleEval) textCondition(n rules.Node, column string, first int) (string, []any) {
	parameter := fmt.Sprintf("CAST($%d AS TEXT)", first)
	switch n.Compare {
	case rules.Contains:
		return e.s.d.position(column, parameter) + " > 0", []any{n.Texts[0]}
	case rules.StartsWith:
		return fmt.Sprintf("substr(%s, 1, length(%s)) = %s", column, parameter, parameter), []any{n.Texts[0]}
	}
	keys := n.Texts
	if strings.HasSuffix(column, "name_key") {
		keys = slices.Clone(keys)
		for i, key := range keys {
			keys[i] = shortKey(key)
		}
	}
	return column + " IN (" + in(first, len(keys)) + ")", anySlice(keys)
}

// sortedByPersonal orders songs by a column of the owner's rows. Songs without a value count as
// less than all others, and equal ones stand in the order of their numbers.
func (s *Store) sortedByPersonal(ctx context.Context, l sortedList, nums []uint32) ([]uint32, error) {
	s.sumPlays(ctx)
	column := l.sort.personal
	valued, err := readNums(ctx, s.read, "sort songs", fmt.Sprintf(`SELECT item AS n FROM personal WHERE listener = $1
		AND kind = 1 AND %s ORDER BY %s, item`, personalConditions[column], column), l.owner)
	if err != nil {
		return nil, err
	}
	valued = newNumSet(nums).keep(valued)
	ranked := newNumSet(valued)
	rest := slices.DeleteFunc(nums, ranked.has)
	slices.Sort(rest)
	order := append(rest, valued...)
	if l.desc {
		slices.Reverse(order)
	}
	return order, nil
}
