package mpd

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// selection is what find and its relatives read: a filter, an order, a window and a position.
type selection struct {
	filter   filter
	sort     func(a, b *song) int // nil: the order of the library
	window   rangeArg
	position string // where the songs are inserted; "": at the end
}

// parseSelection reads "FILTER [sort TYPE] [window START:END] [position POS]".
func parseSelection(args []string, fold bool) (selection, error) {
	sel := selection{window: rangeArg{0, math.MaxInt}}
	for len(args) >= 2 {
		name, value := args[len(args)-2], args[len(args)-1]
		var err error
		switch name {
		case "position":
			sel.position = value
		case "window":
			sel.window, err = parseRange(value)
		case "sort":
			sel.sort, err = parseSort(value)
		default:
			name = ""
		}
		if err != nil {
			return sel, err
		}
		if name == "" {
			break
		}
		args = args[:len(args)-2]
	}
	var err error
	sel.filter, err = parseFilter(args, fold)
	return sel, err
}

// parseSort reads a tag, "Last-Modified" or "Added", with "-" before it for the reverse order.
func parseSort(arg string) (func(a, b *song) int, error) {
	name, reverse := strings.CutPrefix(arg, "-")
	var order func(a, b *song) int
	t, known := tagNamed(name)
	switch {
	case strings.EqualFold(name, "Last-Modified"):
		order = func(a, b *song) int { return cmp.Compare(a.modified, b.modified) }
	case strings.EqualFold(name, "Added"):
		order = func(a, b *song) int { return cmp.Compare(a.created, b.created) }
	case known && (t == tagTrack || t == tagDisc):
		order = func(a, b *song) int { return cmp.Compare(number(a.value(t)), number(b.value(t))) }
	case known:
		order = func(a, b *song) int { return strings.Compare(a.value(t), b.value(t)) }
	default:
		return nil, ack(codeArg, "Unknown sort tag")
	}
	if reverse {
		return func(a, b *song) int { return order(b, a) }, nil
	}
	return order, nil
}

// ordered sorts songs, if an order is given.
func (sel selection) ordered(list []*song) []*song {
	if sel.sort != nil {
		slices.SortStableFunc(list, sel.sort)
	}
	return list
}

// from returns the songs of a list that the selection selects.
func (sel selection) from(list []*song) []*song {
	var found []*song
	limit := math.MaxInt
	if sel.sort == nil {
		limit = sel.window.end
	}
	for _, one := range list {
		if sel.filter.match(one, 0) {
			if found = append(found, one); len(found) >= limit {
				break
			}
		}
	}
	start, end := sel.window.clamp(len(found))
	return sel.ordered(found)[start:end]
}

// base returns the folder that a filter is limited to, or "".
func base(f filter) string {
	switch f := f.(type) {
	case baseFilter:
		return string(f)
	case and:
		for _, part := range f {
			if b := base(part); b != "" {
				return b
			}
		}
	}
	return ""
}
