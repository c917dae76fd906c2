package mpd

import (
	"strings"
	"time"

	"waxwing/internal/fault"
	"waxwing/internal/player"
)

// place finds the items of an argument in the queue: from an index up to another.
type place func(q *player.Edit) (from, to int, err error)

// finder reads an argument that names items.
type finder func(arg string) (place, error)

// itemRange is the finder of commands that take a position or a range.
func itemRange(arg string) (place, error) {
	r, err := parseRange(arg)
	return func(q *player.Edit) (from, to int, err error) { return r.in(len(q.Items())) }, err
}

// itemAt is the finder of commands that take one position.
func itemAt(arg string) (place, error) {
	n, err := integer(arg, 0, 1<<31-1)
	return func(q *player.Edit) (from, to int, err error) {
		if n >= len(q.Items()) {
			return 0, 0, errBadIndex
		}
		return n, n + 1, nil
	}, err
}

// itemByID is the finder of commands that take an id.
func itemByID(arg string) (place, error) {
	id, err := itemID(arg)
	return func(q *player.Edit) (from, to int, err error) {
		i, err := findItem(q, id)
		return i, i + 1, err
	}, err
}

func itemID(arg string) (int, error) { return integer(arg, -1<<31, 1<<31-1) }

func findItem(q *player.Edit, id int) (int, error) {
	i, err := q.Find(id)
	if err != nil {
		return 0, errNoSong
	}
	return i, nil
}

// editItems changes the items of an argument.
func (s *session) editItems(arg string, find finder, change func(q *player.Edit, from, to int) error) error {
	items, err := find(arg)
	if err != nil {
		return err
	}
	return s.edit(func(q *player.Edit) error {
		from, to, err := items(q)
		if err != nil {
			return err
		}
		return change(q, from, to)
	})
}

// setRange makes an item play a part of its song only. The item that plays cannot be changed.
func (s *session) setRange(args []string) error {
	from, to, err := parsePart(args[1])
	if err != nil {
		return err
	}
	return s.editItems(args[0], itemByID, func(q *player.Edit, i, _ int) error {
		if i == q.Current() && !s.player().Status().Stopped {
			return ack(codePermission, "Cannot edit the current song")
		}
		return q.SetPart(i, from, to)
	})
}

// parsePart reads START:END in seconds, of which both may be missing. An end of 0 is that of the
// song.
func parsePart(arg string) (from, to time.Duration, err error) {
	first, second, ok := strings.Cut(arg, ":")
	bad := ack(codeArg, "Bad range")
	if !ok {
		return 0, 0, bad
	}
	for _, part := range []struct {
		text string
		at   *time.Duration
	}{{first, &from}, {second, &to}} {
		if part.text == "" {
			continue
		}
		if *part.at, err = seconds(part.text); err != nil || *part.at < 0 {
			return 0, 0, bad
		}
	}
	if to != 0 && to < from {
		return 0, 0, bad
	}
	return from, to, nil
}

// addTag describes a stream; the tags of files are those of the catalog.
func (s *session) addTag(args []string) error {
	t, known := tagNamed(args[1])
	if !known {
		return ack(codeArg, "Unknown tag type")
	}
	return s.editTags(args[0], func(tags []player.Tag) []player.Tag {
		return append(tags, player.Tag{Name: tagNames[t], Value: args[2]})
	})
}

// clearTag removes what addTag has added: one tag or all of them.
func (s *session) clearTag(args []string) error {
	if len(args) == 1 {
		return s.editTags(args[0], func([]player.Tag) []player.Tag { return nil })
	}
	t, known := tagNamed(args[1])
	if !known {
		return ack(codeArg, "Unknown tag type")
	}
	return s.editTags(args[0], func(tags []player.Tag) (kept []player.Tag) {
		for _, tag := range tags {
			if tag.Name != tagNames[t] {
				kept = append(kept, tag)
			}
		}
		return kept
	})
}

func (s *session) editTags(id string, change func([]player.Tag) []player.Tag) error {
	return s.editItems(id, itemByID, func(q *player.Edit, i, _ int) error {
		err := q.SetTags(i, change(q.Tracks()[i].Tags()))
		if kind, _ := fault.Of(err); err != nil && kind == fault.Conflict {
			return ack(codePermission, "Cannot edit tags of local file")
		}
		return err
	})
}

// appendPart appends a song of which an item plays a part.
func appendPart(b []byte, s *song, tags tagSet, t player.Track) []byte {
	from, to, _ := t.Part()
	b = append(b, s.text[:len(fileLine)+int(s.path)+1]...)
	b = append(b, "Range: "...)
	b = append(appendSeconds(b, from), '-')
	if to > 0 {
		b = appendSeconds(b, to)
	}
	b = append(b, '\n')
	whole := appendSong(nil, s, tags)
	b = append(b, whole[len(fileLine)+int(s.path)+1:len(whole)-(len(s.text)-int(s.tail))]...)
	if t.Duration > 0 {
		b = appendNumber(b, "Time", int(t.Duration.Round(time.Second)/time.Second))
		b = append(appendSeconds(append(b, "duration: "...), t.Duration), '\n')
	}
	return append(b, s.text[s.added:]...)
}
