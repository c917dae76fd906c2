package mpd

import (
	"math"
	"strconv"

	"waxwing/internal/player"
)

func queueReads() map[string]command {
	return map[string]command{
		"currentsong":    {reads, 0, 0, (*session).currentSong},
		"playlistinfo":   {reads, 0, 1, (*session).playlistInfo},
		"playlistid":     {reads, 0, 1, (*session).playlistID},
		"playlist":       {reads, 0, 0, (*session).playlist},
		"playlistfind":   {reads, 1, -1, func(s *session, args []string) error { return s.queueFind(args, false) }},
		"playlistsearch": {reads, 1, -1, func(s *session, args []string) error { return s.queueFind(args, true) }},
		"plchanges":      {reads, 1, 2, func(s *session, args []string) error { return s.changes(args, false) }},
		"plchangesposid": {reads, 1, 2, func(s *session, args []string) error { return s.changes(args, true) }},
	}
}

// sendItems sends a part of the queue.
func (s *session) sendItems(st *player.Status, from, to int) {
	for i, one := range s.srv.songs.ofTracks(s.ctx, st.Queue[from:to]) {
		s.out.set(appendItem(s.out.bytes(), one, s.tags, st, from+i))
	}
}

func (s *session) currentSong([]string) error {
	st := s.player().Status()
	t, ok := st.Current() // of a stream, with what it plays now
	if !ok {
		return nil
	}
	one := s.srv.songs.ofTracks(s.ctx, []player.Track{t})[0]
	s.out.set(appendItem(s.out.bytes(), one, s.tags, st, st.Index))
	return nil
}

func (s *session) playlistInfo(args []string) error {
	st := s.player().Status()
	from, to := 0, len(st.Queue)
	if len(args) == 1 {
		r, err := parseRange(args[0])
		if err != nil {
			return err
		}
		if from, to, err = r.in(len(st.Queue)); err != nil {
			return err
		}
	}
	s.sendItems(st, from, to)
	return nil
}

func (s *session) playlistID(args []string) error {
	if len(args) == 0 {
		return s.playlistInfo(nil)
	}
	id, err := itemID(args[0])
	if err != nil {
		return err
	}
	st := s.player().Status()
	for i, item := range st.Items {
		if item.ID == id {
			s.sendItems(st, i, i+1)
			return nil
		}
	}
	return errNoSong
}

func (s *session) playlist([]string) error {
	st := s.player().Status()
	for i, one := range s.srv.songs.ofTracks(s.ctx, st.Queue) {
		b := appendInt(s.out.bytes(), i)
		b = append(b, ":file: "...)
		b = append(b, one.uri()...)
		s.out.set(append(b, '\n'))
	}
	return nil
}

// queueFind sends the items that a filter selects.
func (s *session) queueFind(args []string, fold bool) error {
	sel, err := parseSelection(args, fold)
	if err != nil {
		return err
	}
	st := s.player().Status()
	var found []*song
	index := map[*song][]int{} // a song may be queued more than once
	for i, one := range s.srv.songs.ofTracks(s.ctx, st.Queue) {
		if sel.filter.match(one, st.Items[i].Priority) {
			if index[one] = append(index[one], i); len(index[one]) == 1 || sel.sort == nil {
				found = append(found, one)
			}
		}
	}
	type entry struct {
		song  *song
		index int
	}
	var entries []entry
	for _, one := range sel.ordered(found) {
		if sel.sort == nil {
			entries = append(entries, entry{one, index[one][0]})
			index[one] = index[one][1:]
			continue
		}
		for _, i := range index[one] {
			entries = append(entries, entry{one, i})
		}
	}
	from, to := sel.window.clamp(len(entries))
	for _, e := range entries[from:to] {
		s.out.set(appendItem(s.out.bytes(), e.song, s.tags, st, e.index))
	}
	return nil
}

// changes sends the items that changed after a version of the queue. A version that the queue never
// had means all.
func (s *session) changes(args []string, short bool) error {
	since, err := integer(args[0], 0, math.MaxInt)
	if err != nil {
		return err
	}
	st := s.player().Status()
	from, to := 0, len(st.Queue)
	if len(args) == 2 {
		r, err := parseRange(args[1])
		if err != nil {
			return err
		}
		from, to = r.clamp(len(st.Queue))
	}
	all := uint64(since) > st.QueueVersion
	for i := from; i < to; i++ {
		if !all && st.Items[i].Version <= uint64(since) {
			continue
		}
		if short {
			b := appendNumber(s.out.bytes(), "cpos", i)
			s.out.set(appendNumber(b, "Id", st.Items[i].ID))
			continue
		}
		first := i
		for i+1 < to && (all || st.Items[i+1].Version > uint64(since)) {
			i++
		}
		s.sendItems(st, first, i+1)
	}
	return nil
}

// appendItem appends the item at an index of the queue.
func appendItem(b []byte, s *song, tags tagSet, st *player.Status, index int) []byte {
	item := st.Items[index]
	if _, _, part := st.Queue[index].Part(); part {
		b = appendPart(b, s, tags, st.Queue[index])
	} else {
		b = appendSong(b, s, tags)
	}
	b = append(b, "Pos: "...)
	b = strconv.AppendInt(b, int64(index), 10)
	b = append(b, "\nId: "...)
	b = append(strconv.AppendInt(b, int64(item.ID), 10), '\n')
	if item.Priority > 0 {
		b = appendNumber(b, "Prio", item.Priority)
	}
	return b
}
