package player

import (
	"fmt"
	"slices"
)

// fill adds the default tracks to an empty queue, as Play and Toggle do.
func fill(m *model, s *toneLibrary) {
	if len(m.ids) > 0 {
		return
	}
	for i := range s.size {
		m.ids = append(m.ids, s.track(i).ID)
		m.order = append(m.order, i)
	}
	m.at = 0
}

// adopt copies the play order that the player chose for a new queue when shuffle is on.
func (m *model) adopt(r *rig) {
	if m.shuffle {
		cur := m.order[m.at]
		m.order = r.order()
		m.at = slices.Index(m.order, cur)
	}
}

// reorder applies a change of shuffle: the current track stays current and, with shuffle on, is the
// first of the new order.
func (m *model) reorder(r *rig) string {
	if len(m.ids) == 0 {
		return ""
	}
	cur := m.order[m.at]
	order := r.order()
	if !m.shuffle {
		for i := range m.order {
			m.order[i] = i
		}
		m.at = cur
		return ""
	}
	if !permutation(order) || order[0] != cur {
		return fmt.Sprintf("shuffled order: got %v, want a permutation that begins with %d", order, cur)
	}
	m.order, m.at = order, 0
	return ""
}

// adoptExtendedOrder copies a shuffled order to which tracks were added. The order up to the
// current track must be unchanged.
func (m *model) adoptExtendedOrder(order []int) string {
	if !permutation(order) || !slices.Equal(order[:m.at+1], m.order[:m.at+1]) {
		return fmt.Sprintf("order after adding tracks: got %v, want a permutation that begins as %v up to index %d",
			order, m.order, m.at)
	}
	m.order = order
	return ""
}

func permutation(order []int) bool {
	sorted := slices.Sorted(slices.Values(order))
	for i, v := range sorted {
		if i != v {
			return false
		}
	}
	return true
}

// insert adds names after the current track and returns the index of the first.
func (m *model) insert(names []string) int {
	if len(m.ids) == 0 {
		m.ids, m.order, m.at = names, []int{0}[:1], 0
		m.order = nil
		for i := range names {
			m.order = append(m.order, i)
		}
		return 0
	}
	where := m.order[m.at] + 1
	m.ids = slices.Concat(m.ids[:where], names, m.ids[where:])
	var order []int
	for k, i := range m.order {
		if i >= where {
			i += len(names)
		}
		order = append(order, i)
		if k == m.at {
			for j := range names {
				order = append(order, where+j)
			}
		}
	}
	m.order = order
	return where
}

func (m *model) remove(index int) {
	cur := m.order[m.at]
	k := slices.Index(m.order, index)
	m.ids = slices.Concat(m.ids[:index], m.ids[index+1:])
	var order []int
	for _, i := range m.order {
		switch {
		case i < index:
			order = append(order, i)
		case i > index:
			order = append(order, i-1)
		}
	}
	m.order = order
	switch {
	case len(m.ids) == 0:
		*m = model{repeat: m.repeat, shuffle: m.shuffle}
	case index != cur && k < m.at:
		m.at--
	case index == cur && k == len(order):
		m.goTo(0)
		m.playing = m.playing && m.repeat.wraps()
	case index == cur:
		m.goTo(k)
	}
}

func (m *model) move(from, to int) {
	oldIndexes := make([]int, len(m.ids)) // the old index of the track at each new index
	for i := range oldIndexes {
		oldIndexes[i] = i
	}
	oldIndexes = slices.Insert(slices.Delete(oldIndexes, from, from+1), to, from)
	ids := make([]string, len(oldIndexes))
	for i, old := range oldIndexes {
		ids[i] = m.ids[old]
	}
	cur := slices.Index(oldIndexes, m.order[m.at])
	if m.shuffle {
		for k, old := range m.order {
			m.order[k] = slices.Index(oldIndexes, old)
		}
	} else {
		m.at = cur
	}
	m.ids = ids
}
