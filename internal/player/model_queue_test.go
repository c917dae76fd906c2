package player

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"waxwing/internal/fault"
)

func newModel() *model {
	return &model{track: map[int]string{}, priority: map[int]int{}, stopped: true, repeat: RepeatOff, stopAfter: ModeOff,
		consume: ModeOff}
}

// clear empties the list and keeps the settings.
func (m *model) clear() {
	m.list, m.order, m.at, m.pos, m.playing, m.stopped, m.ended = nil, nil, 0, 0, false, true, false
}

// create gives new items their ids.
func (m *model) create(tracks ...string) (items []int) {
	for _, track := range tracks {
		m.last++
		m.track[m.last] = track
		items = append(items, m.last)
	}
	return items
}

// start sets the play order of a new list whose current item is at index.
func (m *model) start(r *rig, index int) {
	cur := m.list[index]
	m.order, m.at = slices.Clone(m.list), index
	if m.shuffle {
		m.order = r.order()
		m.at = slices.Index(m.order, cur)
	}
}

// fill adds the default tracks to an empty list, as Play and Toggle do.
func (m *model) fill(r *rig) {
	if len(m.list) > 0 {
		return
	}
	for i := range r.library.size {
		m.list = append(m.list, m.create(r.library.track(i).ID)...)
	}
	m.start(r, 0)
}

func (m *model) entries() (all []string) {
	for _, item := range m.list {
		all = append(all, fmt.Sprintf("%d:%s:%d", item, m.track[item], m.priority[item]))
	}
	return all
}

// entries describes the queue as model.entries does.
func entries(st *Status) (all []string) {
	for i, item := range st.Items {
		all = append(all, fmt.Sprintf("%d:%s:%d", item.ID, st.Queue[i].ID, item.Priority))
	}
	return all
}

// reorder applies a change of shuffle: the current track stays current and, with shuffle on, is the
// first of the new order.
func (m *model) reorder(r *rig) string {
	if len(m.list) == 0 {
		return ""
	}
	cur := m.cur()
	order := r.order()
	if !m.shuffle {
		m.order = slices.Clone(m.list)
		m.at = slices.Index(m.order, cur)
		return ""
	}
	byPriority := slices.IsSortedFunc(order[1:], func(a, b int) int { return m.priority[b] - m.priority[a] })
	if !permutation(order, m.list) || order[0] != cur || !byPriority {
		return fmt.Sprintf("shuffled order: got %v, want a permutation that begins with %d and has higher priorities first",
			order, cur)
	}
	m.order, m.at = order, 0
	return ""
}

// extend adds new items to the play order. When shuffling, the order up to the current track must
// be unchanged, and nothing of a higher priority may come after a new item.
func (m *model) extend(r *rig) string {
	cur := m.cur()
	if !m.shuffle {
		m.order = slices.Clone(m.list)
		m.at = slices.Index(m.order, cur)
		return ""
	}
	order := r.order()
	if !permutation(order, m.list) || !slices.Equal(order[:m.at+1], m.order[:m.at+1]) {
		return fmt.Sprintf("order after adding tracks: got %v, want a permutation that begins as %v up to index %d",
			order, m.order, m.at)
	}
	m.order = order
	return ""
}

func permutation(order, list []int) bool {
	return slices.Equal(slices.Sorted(slices.Values(order)), slices.Sorted(slices.Values(list)))
}

// insertNext adds tracks after the current one, in the list and in play order.
func (m *model) insertNext(r *rig, tracks ...string) {
	items := m.create(tracks...)
	if len(m.list) == 0 {
		m.list = items
		m.start(r, 0)
		return
	}
	m.list = slices.Insert(slices.Clone(m.list), slices.Index(m.list, m.cur())+1, items...)
	m.order = slices.Insert(slices.Clone(m.order), m.at+1, items...)
}

// insert adds tracks at index.
func (m *model) insert(r *rig, index int, tracks ...string) string {
	items := m.create(tracks...)
	if len(m.list) == 0 {
		m.list = items
		m.start(r, 0)
		return ""
	}
	cur := m.cur()
	m.list = slices.Insert(slices.Clone(m.list), index, items...)
	if !m.shuffle {
		m.order = slices.Clone(m.list)
		m.at = slices.Index(m.order, cur)
	}
	return m.extend(r)
}

// drop removes an item; if it is the current one, the position stays that of the order.
func (m *model) drop(item int) {
	k := slices.Index(m.order, item)
	without := func(list []int) []int {
		return slices.DeleteFunc(slices.Clone(list), func(i int) bool { return i == item })
	}
	m.list, m.order = without(m.list), without(m.order)
	if k < m.at {
		m.at--
	}
	if len(m.list) == 0 {
		m.clear()
	}
}

// remove removes items as a user does: the next one that remains becomes current.
func (m *model) remove(items ...int) {
	cur, next := m.cur(), 0
	for _, item := range m.order[m.at:] {
		if !slices.Contains(items, item) {
			next = item
			break
		}
	}
	for _, item := range items {
		m.drop(item)
	}
	switch {
	case len(m.list) == 0 || next == cur:
	case next == 0:
		m.goTo(0)
		m.playing = m.playing && m.repeat.wraps()
	default:
		m.goTo(slices.Index(m.order, next))
	}
	if len(m.list) > 0 && next != 0 {
		m.at = slices.Index(m.order, next)
	}
}

// skip is Next and Previous.
func (m *model) skip(by int) {
	n, left := len(m.list), m.cur()
	m.goTo((m.at + by + n) % n)
	if by > 0 && m.consume != ModeOff && !m.stopped {
		m.consume = m.consume.used()
		m.drop(left)
	}
}

// rearrange changes the sequence of the list. Without shuffle the play order follows it.
func (m *model) rearrange(list []int) {
	cur := m.cur()
	m.list = list
	if !m.shuffle {
		m.order = slices.Clone(list)
		m.at = slices.Index(m.order, cur)
	}
}

func (m *model) move(from, to, dest int) {
	list := slices.Clone(m.list)
	moved := slices.Clone(list[from:to])
	m.rearrange(slices.Insert(slices.Delete(list, from, to), dest, moved...))
}

// edit executes the commands that Edit and Insert offer.
func (m *model) edit(r *rig, c command) string {
	n := len(m.list)
	from, to := c.a, min(c.a+2, n)
	want := fault.Internal
	if from >= n {
		want = fault.Invalid
	}
	var err error
	tracks := []string{"t" + strconv.Itoa(c.a), "t" + strconv.Itoa(c.b)}
	switch c.op {
	case "add":
		_, err = r.insert(atEnd, tracks...)
		return m.insert(r, n, tracks...) + wantKind(err, fault.Internal)
	case "insert":
		_, err = r.insert(atNext, tracks...)
		m.insertNext(r, tracks...)
		return wantKind(err, fault.Internal)
	case "insertAt":
		var items []int
		items, err = r.Insert(r.ctx, Selection{TrackIDs: tracks}, func(q *Edit, tracks []Track) ([]int, error) {
			return q.Insert(c.b, tracks)
		})
		if c.b > n {
			return wantKind(err, fault.Invalid)
		}
		mismatch := m.insert(r, c.b, tracks...)
		if !slices.Equal(items, []int{m.last - 1, m.last}) {
			return fmt.Sprintf("ids of new items: got %v, want %d and %d", items, m.last-1, m.last)
		}
		return mismatch + wantKind(err, fault.Internal)
	case "removeRange":
		err = r.Edit(r.ctx, func(q *Edit) error { return q.Remove(from, max(from+1, to)) })
		if want == fault.Internal {
			m.remove(m.list[from:to]...)
		}
	case "moveRange":
		err = r.Edit(r.ctx, func(q *Edit) error { return q.Move(from, max(from+1, to), c.b) })
		if want == fault.Internal && c.b > n-(to-from) {
			want = fault.Invalid
		}
		if want == fault.Internal {
			m.move(from, to, c.b)
		}
	case "swap":
		err = r.Edit(r.ctx, func(q *Edit) error { return q.Swap(c.a, c.b) })
		if c.b >= n {
			want = fault.Invalid
		}
		if want == fault.Internal {
			list := slices.Clone(m.list)
			list[c.a], list[c.b] = list[c.b], list[c.a]
			m.rearrange(list)
		}
	case "shuffleList":
		err = r.Edit(r.ctx, func(q *Edit) error { return q.Shuffle(c.a, n) })
		if c.a == n {
			want = fault.Internal
		}
		if want == fault.Internal && n > 0 {
			if mismatch := m.adoptList(r.Status(), c.a); mismatch != "" {
				return mismatch
			}
		}
	case "priority":
		err = r.Edit(r.ctx, func(q *Edit) error { return q.SetPriority(c.b%3, c.a) })
		if want == fault.Internal {
			return m.setPriority(r, m.list[c.a], c.b%3) + wantKind(err, want)
		}
	case "playItem":
		item := c.a + 1
		at := time.Duration(c.b) * 700 * time.Millisecond
		err = r.Edit(r.ctx, func(q *Edit) error {
			i, err := q.Find(item)
			if err != nil {
				return err
			}
			return q.Play(i, at)
		})
		want = fault.NotFound
		if k := slices.Index(m.order, item); k >= 0 {
			want = fault.Internal
			m.goTo(k)
			m.pos = min(at, 4100*time.Millisecond)
			m.playing, m.stopped = true, false
		}
	}
	return wantKind(err, want)
}

// adoptList copies the list of the player, of which the part from an index on was shuffled.
func (m *model) adoptList(st *Status, from int) string {
	var list []int
	for _, item := range st.Items {
		list = append(list, item.ID)
	}
	cur := slices.Index(m.list, m.cur())
	if !permutation(list, m.list) || !slices.Equal(list[:from], m.list[:from]) || cur > from && list[from] != m.cur() {
		return fmt.Sprintf("shuffled list: got %v, want a permutation of %v from index %d on, with %d first there",
			list, m.list, from, m.cur())
	}
	m.rearrange(list)
	return ""
}

// setPriority changes the priority of an item. When shuffling, it may move to another position
// after the current one, with no higher one behind it.
func (m *model) setPriority(r *rig, item, priority int) string {
	same, k := m.priority[item] == priority, slices.Index(m.order, item)
	m.priority[item] = priority
	if same || !m.shuffle || k == m.at || k < m.at && priority <= m.priority[m.cur()] {
		return ""
	}
	order, cur := r.order(), m.cur()
	without := func(list []int) []int {
		return slices.DeleteFunc(slices.Clone(list), func(i int) bool { return i == item })
	}
	moved := slices.Index(order, item)
	higher := slices.ContainsFunc(order[moved+1:], func(i int) bool { return m.priority[i] > priority })
	if !slices.Equal(without(order), without(m.order)) || moved <= slices.Index(order, cur) || higher {
		return fmt.Sprintf("order after priority %d of item %d: got %v, want it after %d and behind higher ones in %v",
			priority, item, order, cur, m.order)
	}
	m.order, m.at = order, slices.Index(order, cur)
	return ""
}
