package mpd

import (
	"strings"

	"waxwing/internal/player"
)

func queueCommands() map[string]command {
	return map[string]command{
		"add":      {writes, 1, 2, (*session).add},
		"addid":    {writes, 1, 2, (*session).addID},
		"clear":    {writes, 0, 0, func(s *session, _ []string) error { return s.player().Clear(s.ctx) }},
		"delete":   {writes, 1, 1, func(s *session, args []string) error { return s.remove(args, itemRange) }},
		"deleteid": {writes, 1, 1, func(s *session, args []string) error { return s.remove(args, itemByID) }},
		"move":     {writes, 2, 2, func(s *session, args []string) error { return s.move(args, itemRange) }},
		"moveid":   {writes, 2, 2, func(s *session, args []string) error { return s.move(args, itemByID) }},
		"swap":     {writes, 2, 2, func(s *session, args []string) error { return s.swap(args, itemAt) }},
		"swapid":   {writes, 2, 2, func(s *session, args []string) error { return s.swap(args, itemByID) }},
		"shuffle":  {writes, 0, 1, (*session).shuffle},
		"prio":     {writes, 2, -1, func(s *session, args []string) error { return s.prioritize(args, itemRange) }},
		"prioid":   {writes, 2, -1, func(s *session, args []string) error { return s.prioritize(args, itemByID) }},

		"rangeid":    {writes, 2, 2, (*session).setRange},
		"addtagid":   {writes, 3, 3, (*session).addTag},
		"cleartagid": {writes, 1, 2, (*session).clearTag},
	}
}

// edit changes the queue as one step.
func (s *session) edit(f func(q *player.Edit) error) error { return s.player().Edit(s.ctx, f) }

// position reads a position to insert at: an index, or one relative to the current item.
func position(arg string, current, length int) (int, error) {
	if !strings.HasPrefix(arg, "+") && !strings.HasPrefix(arg, "-") {
		n, err := integer(arg, 0, 1<<31-1)
		if err == nil && n > length {
			err = ack(codeArg, "Number too large: %s", clip(arg, 100))
		}
		return n, err
	}
	by, err := integer(arg[1:], 0, 1<<31-1)
	if err != nil {
		return 0, err
	}
	if current < 0 {
		return 0, ack(codeSync, "No current song")
	}
	at := current + 1 + by
	if arg[0] == '-' {
		at = current - by
	}
	if at < 0 || at > length {
		return 0, ack(codeArg, "Number too large: %s", clip(arg, 100))
	}
	return at, nil
}

// insert adds songs at a position argument; "" is the end. It returns the ids of the new items.
func (s *session) insert(list []*song, at string) (ids []int, err error) {
	tracks := make([]player.Track, 0, len(list))
	for _, one := range list {
		if t, ok := one.track().Bounded(); ok {
			tracks = append(tracks, t)
		}
	}
	return s.insertTracks(tracks, at)
}

func (s *session) insertTracks(tracks []player.Track, at string) (ids []int, err error) {
	err = s.edit(func(q *player.Edit) error {
		index := len(q.Items())
		if at != "" {
			if index, err = position(at, q.Current(), index); err != nil {
				return err
			}
		}
		ids, err = q.Insert(index, tracks)
		return err
	})
	if err == nil {
		return ids, nil
	}
	return nil, queueFull(err)
}

// addition returns the songs that a URI adds.
func (s *session) addition(uri string) ([]*song, error) {
	if err := checkURI(uri); err != nil {
		return nil, err
	}
	lib, err := s.srv.songs.library(s.ctx)
	if err != nil {
		return nil, err
	}
	switch f, one := lib.find(uri); {
	case one != nil:
		return []*song{one}, nil
	case f != nil:
		return f.all(nil), nil
	}
	if one := s.queued(uri); one != nil {
		return []*song{one}, nil
	}
	return nil, errNoFolder
}

// checkURI refuses what is no path of the library.
func checkURI(uri string) error {
	if hasControl(uri) {
		return ack(codeArg, "Malformed path")
	}
	scheme, _, isURL := strings.Cut(uri, "://")
	switch {
	case !isURL:
		return nil
	case strings.EqualFold(scheme, "file"):
		return ack(codePermission, "Access denied")
	}
	return ack(codeArg, "Unsupported URI scheme")
}

// queued returns a queued song by the URI that it has because its path is unknown.
func (s *session) queued(uri string) *song {
	id, ok := strings.CutPrefix(uri, missingPrefix)
	if !ok {
		return nil
	}
	for _, t := range s.player().Status().Queue {
		if t.ID == id {
			return songOfTrack(t)
		}
	}
	return nil
}

func (s *session) add(args []string) error {
	at := ""
	if len(args) == 2 {
		at = args[1]
	}
	if isStream(args[0]) {
		_, err := s.addStream(args[0], at)
		return err
	}
	list, err := s.addition(args[0])
	if err != nil {
		return err
	}
	_, err = s.insert(list, at)
	return err
}

func (s *session) addID(args []string) error {
	at := ""
	if len(args) == 2 {
		at = args[1]
	}
	var ids []int
	if isStream(args[0]) {
		var err error
		if ids, err = s.addStream(args[0], at); err != nil {
			return err
		}
	} else {
		list, err := s.addition(args[0])
		if err == nil && (len(list) != 1 || list[0].uri() != strings.Trim(args[0], "/")) {
			err = errNoFolder // a folder
		}
		if err != nil {
			return err
		}
		if ids, err = s.insert(list, at); err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		return errNoSong
	}
	s.out.number("Id", ids[0])
	return nil
}

func (s *session) remove(args []string, find finder) error {
	return s.editItems(args[0], find, func(q *player.Edit, from, to int) error { return q.Remove(from, to) })
}

// moveTo moves a range to a position argument, which counts without the range if it is relative.
func moveTo(q *player.Edit, from, to int, arg string) error {
	n, current := len(q.Items())-(to-from), q.Current()
	relative := strings.HasPrefix(arg, "+") || strings.HasPrefix(arg, "-")
	if relative {
		switch {
		case current >= from && current < to:
			return ack(codeArg, "Cannot move current song relative to itself")
		case current >= to:
			current -= to - from
		}
	}
	dest, err := position(arg, current, n)
	if err != nil {
		if !relative {
			return errBadIndex
		}
		return err
	}
	return q.Move(from, to, dest)
}

func (s *session) move(args []string, find finder) error {
	return s.editItems(args[0], find, func(q *player.Edit, from, to int) error { return moveTo(q, from, to, args[1]) })
}

func (s *session) swap(args []string, find finder) error {
	second, err := find(args[1])
	if err != nil {
		return err
	}
	return s.editItems(args[0], find, func(q *player.Edit, i, _ int) error {
		j, _, err := second(q)
		if err != nil {
			return err
		}
		return q.Swap(i, j)
	})
}

func (s *session) shuffle(args []string) error {
	r := rangeArg{0, 1 << 31}
	if len(args) == 1 {
		var err error
		if r, err = parseRange(args[0]); err != nil {
			return err
		}
	}
	return s.edit(func(q *player.Edit) error {
		from, to := r.clamp(len(q.Items()))
		if len(args) == 1 && r.start > len(q.Items()) {
			return errBadIndex
		}
		return q.Shuffle(from, to)
	})
}

func (s *session) prioritize(args []string, find finder) error {
	prio, err := integer(args[0], 0, 255)
	if err != nil {
		return err
	}
	all := make([]place, len(args)-1)
	for i, arg := range args[1:] {
		if all[i], err = find(arg); err != nil {
			return err
		}
	}
	return s.edit(func(q *player.Edit) error {
		var indexes []int
		for _, one := range all {
			from, to, err := one(q)
			if err != nil {
				return err
			}
			for i := from; i < to; i++ {
				indexes = append(indexes, i)
			}
		}
		return q.SetPriority(prio, indexes...)
	})
}
