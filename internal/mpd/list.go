package mpd

import (
	"maps"
	"slices"
	"time"
)

// maxGroups limits the tags of "group".
const maxGroups = 8

// groups cuts "group TAG" from the end of arguments, as often as it is there.
func groups(args []string) (rest []string, tags []tag, err error) {
	for len(args) >= 2 && args[len(args)-2] == "group" {
		t, known := tagNamed(args[len(args)-1])
		if !known {
			return nil, nil, ack(codeArg, "Unknown tag type: %s", clip(args[len(args)-1], 100))
		}
		if tags = append(tags, t); len(tags) > maxGroups {
			return nil, nil, ack(codeArg, "Too many groups")
		}
		args = args[:len(args)-2]
	}
	return args, tags, nil
}

// level is a set of values of a tag, each with the values of the next one.
type level map[string]level

// add adds the values of the tags of a song, all combinations of them.
func (l level) add(s *song, tags []tag) {
	if len(tags) == 0 {
		return
	}
	one := func(value string) bool {
		next := l[value]
		if next == nil {
			next = level{}
			l[value] = next
		}
		next.add(s, tags[1:])
		return false
	}
	if present, _ := s.values(tags[0], one); !present {
		one("")
	}
}

// list sends the values of a tag. The last group is the outermost.
func (s *session) list(args []string) error {
	name, rest := args[0], args[1:]
	if name == "file" || name == "filename" {
		return s.listURIs(rest)
	}
	t, known := tagNamed(name)
	if !known {
		return ack(codeArg, "Unknown tag type: %s", clip(name, 100))
	}
	window := rangeArg{0, 1 << 62}
	if n := len(rest); n >= 2 && rest[n-2] == "window" {
		var err error
		if window, err = parseRange(rest[n-1]); err != nil {
			return err
		}
		rest = rest[:n-2]
	}
	rest, tags, err := groups(rest)
	if err != nil {
		return err
	}
	sel := selection{filter: everything{}, window: rangeArg{0, 1 << 62}}
	switch {
	case len(rest) == 1 && rest[0] != "" && rest[0][0] != '(':
		// The form of old clients: list album ARTIST.
		if t != tagAlbum {
			return ack(codeArg, "should be \"Album\" for 3 arguments")
		}
		sel.filter = tagFilter{tagArtist, newMatcher(equals, rest[0], false), false}
	case len(rest) > 0:
		if sel.filter, err = parseFilter(rest, false); err != nil {
			return err
		}
	}
	found, err := s.selected(sel)
	if err != nil {
		return err
	}
	tags = append(tags, t)
	values := level{}
	for _, one := range found {
		values.add(one, tags)
	}
	s.sendLevel(values, tags, &window)
	return nil
}

// sendLevel sends the values of a level in order, each with those below it. The window counts
// values of the last tag.
func (s *session) sendLevel(l level, tags []tag, window *rangeArg) {
	for _, value := range slices.Sorted(maps.Keys(l)) {
		if len(tags) == 1 {
			if window.start > 0 {
				window.start--
				window.end--
				continue
			}
			if window.end <= 0 {
				return
			}
			window.end--
		}
		s.out.pair(tagNames[tags[0]], value)
		if len(tags) > 1 {
			s.sendLevel(l[value], tags[1:], window)
		}
	}
}

func (s *session) listURIs(args []string) error {
	sel := selection{filter: everything{}, window: rangeArg{0, 1 << 62}}
	var err error
	if len(args) > 0 {
		if sel, err = parseSelection(args, false); err != nil {
			return err
		}
	}
	found, err := s.selected(sel)
	if err != nil {
		return err
	}
	for _, one := range found {
		s.out.text(one.text[:len(fileLine)+int(one.path)+1])
	}
	return nil
}

// total is the number and length of songs.
type total struct {
	songs    int
	duration time.Duration
}

func (s *session) sendTotal(t total) {
	s.out.number("songs", t.songs)
	s.out.number("playtime", int(t.duration/time.Second))
}

// count sends the number and length of songs, of each value of a group.
func (s *session) count(args []string, fold bool) error {
	rest, tags, err := groups(args)
	if err != nil {
		return err
	}
	if len(tags) > 1 {
		return ack(codeArg, "Only one group is supported")
	}
	sel := selection{filter: everything{}, window: rangeArg{0, 1 << 62}}
	if len(rest) > 0 {
		if sel.filter, err = parseFilter(rest, fold); err != nil {
			return err
		}
	} else if len(tags) == 0 {
		return ack(codeArg, "too few arguments for \"count\"")
	}
	found, err := s.selected(sel)
	if err != nil {
		return err
	}
	if len(tags) == 0 {
		var all total
		for _, one := range found {
			all.songs++
			all.duration += one.duration
		}
		s.sendTotal(all)
		return nil
	}
	totals := map[string]total{}
	for _, one := range found {
		add := func(value string) bool {
			t := totals[value]
			totals[value] = total{t.songs + 1, t.duration + one.duration}
			return false
		}
		if present, _ := one.values(tags[0], add); !present {
			add("")
		}
	}
	for _, value := range slices.Sorted(maps.Keys(totals)) {
		s.out.pair(tagNames[tags[0]], value)
		s.sendTotal(totals[value])
	}
	return nil
}
