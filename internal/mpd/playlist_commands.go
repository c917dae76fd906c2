package mpd

import (
	"errors"
	"math"
	"slices"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/internal/player"
)

func playlistCommands() map[string]command {
	return map[string]command{
		"listplaylists":    {reads, 0, 0, (*session).listPlaylists},
		"listplaylist":     {reads, 1, 2, func(s *session, args []string) error { return s.showPlaylist(args, false) }},
		"listplaylistinfo": {reads, 1, 2, func(s *session, args []string) error { return s.showPlaylist(args, true) }},
		"playlistlength":   {reads, 1, 1, (*session).playlistLength},
		"searchplaylist":   {reads, 2, -1, (*session).searchPlaylist},
		"load":             {writes, 1, 3, (*session).load},
		"save":             {writes, 1, 2, (*session).save},
		"rm":               {writes, 1, 1, (*session).removePlaylist},
		"rename":           {writes, 2, 2, (*session).renamePlaylist},
		"playlistadd":      {writes, 2, 3, (*session).playlistAdd},
		"playlistclear":    {writes, 1, 1, (*session).playlistClear},
		"playlistdelete":   {writes, 2, 2, (*session).playlistDelete},
		"playlistmove":     {writes, 3, 3, (*session).playlistMove},
	}
}

func (s *session) listPlaylists([]string) error {
	all, err := s.srv.playlists.list(s.ctx)
	for _, one := range all {
		s.out.pair("playlist", one.name)
		s.out.pair("Last-Modified", utc(one.modified.Unix()))
	}
	return err
}

// playlistSongs returns the songs of a playlist by its name. Those that the library does not have
// are left out.
func (s *session) playlistSongs(name string) ([]*song, error) {
	if err := checkPlaylistName(name); err != nil {
		return nil, err
	}
	p, err := s.srv.playlists.find(s.ctx, name)
	if err != nil {
		return nil, err
	}
	entries, err := s.srv.playlists.entries(s.ctx, p.id)
	if err != nil {
		return nil, err
	}
	lib, err := s.library()
	if err != nil {
		return nil, err
	}
	var found []*song
	for _, e := range entries {
		if one := lib.byID[e.ID]; one != nil {
			found = append(found, one)
		}
	}
	return found, nil
}

func (s *session) showPlaylist(args []string, info bool) error {
	found, err := s.playlistSongs(args[0])
	if err != nil {
		return err
	}
	r := rangeArg{0, math.MaxInt}
	if len(args) == 2 {
		if r, err = parseRange(args[1]); err != nil {
			return err
		}
	}
	from, to := r.clamp(len(found))
	for _, one := range found[from:to] {
		if info {
			s.sendSong(one)
		} else {
			s.out.text(one.text[:len(fileLine)+int(one.path)+1])
		}
	}
	return nil
}

func (s *session) playlistLength(args []string) error {
	found, err := s.playlistSongs(args[0])
	if err != nil {
		return err
	}
	length := total{songs: len(found)}
	for _, one := range found {
		length.duration += one.duration.Truncate(time.Millisecond)
	}
	s.sendTotal(length)
	return nil
}

func (s *session) searchPlaylist(args []string) error {
	sel, err := parseSelection(args[1:], true)
	if err != nil {
		return err
	}
	found, err := s.playlistSongs(args[0])
	if err != nil {
		return err
	}
	return s.sendFound(sel, sel.from(found))
}

func (s *session) load(args []string) error {
	r := rangeArg{0, math.MaxInt}
	at := ""
	if len(args) >= 2 {
		var err error
		if r, err = parseRange(args[1]); err != nil {
			return err
		}
	}
	if len(args) == 3 {
		at = args[2]
	}
	found, err := s.playlistSongs(args[0])
	if err != nil {
		return err
	}
	from, to := r.clamp(len(found))
	_, err = s.insert(found[from:to], at)
	return err
}

// queueIDs returns the ids of the queued songs; streams cannot be in a playlist.
func queueIDs(st *player.Status) []string {
	ids := []string{}
	for _, t := range st.Queue {
		if t.URL == "" {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// save stores the queue as a playlist. The mode says what to do if there is one of that name.
func (s *session) save(args []string) error {
	if err := checkPlaylistName(args[0]); err != nil {
		return err
	}
	mode := "create"
	if len(args) == 2 {
		mode = args[1]
	}
	p, err := s.srv.playlists.find(s.ctx, args[0])
	exists := err == nil
	if err != nil && !errors.Is(err, errNoPlaylist) {
		return err
	}
	ids := queueIDs(s.player().Status())
	switch {
	case mode == "create" && exists:
		return ack(codeExist, "Playlist already exists")
	case mode == "create":
		return s.createPlaylist(args[0], ids)
	case mode != "append" && mode != "replace":
		return ack(codeArg, "Unrecognized save mode, expected one of 'create', 'append', 'replace'")
	case !exists:
		return errNoPlaylist
	case mode == "replace":
		return s.setEntries(p.id, ids)
	}
	return s.addEntries(p.id, ids, nil)
}

func (s *session) createPlaylist(name string, ids []string) error {
	_, err := s.srv.cfg.Catalog.CreatePlaylist(s.ctx, catalogapi.NewPlaylist{Name: name, SongIDs: ids})
	return s.playlistChanged(err)
}

// playlistChanged reports a change of the stored playlists.
func (s *session) playlistChanged(err error) error {
	if err != nil {
		return catalogError(err, "No such playlist")
	}
	s.srv.hub.notify(eventStoredPlaylist)
	return nil
}

func (s *session) setEntries(id string, ids []string) error {
	_, err := s.srv.cfg.Catalog.ReplaceSongs(s.ctx, id, ids)
	return s.playlistChanged(err)
}

func (s *session) addEntries(id string, ids []string, at *int) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := s.srv.cfg.Catalog.AddSongs(s.ctx, id, ids, at)
	return s.playlistChanged(err)
}

func (s *session) removePlaylist(args []string) error {
	p, err := s.named(args[0])
	if err != nil {
		return err
	}
	return s.playlistChanged(s.srv.cfg.Catalog.DeletePlaylist(s.ctx, p.id))
}

func (s *session) named(name string) (storedPlaylist, error) {
	if err := checkPlaylistName(name); err != nil {
		return storedPlaylist{}, err
	}
	return s.srv.playlists.find(s.ctx, name)
}

func (s *session) renamePlaylist(args []string) error {
	if err := checkPlaylistName(args[1]); err != nil {
		return err
	}
	p, err := s.named(args[0])
	if err != nil {
		return err
	}
	if _, err := s.named(args[1]); err == nil {
		return ack(codeExist, "Playlist exists already")
	} else if !errors.Is(err, errNoPlaylist) {
		return err
	}
	_, err = s.srv.cfg.Catalog.ChangePlaylist(s.ctx, p.id, catalogapi.PlaylistChange{Name: &args[1]})
	return s.playlistChanged(err)
}

// addToPlaylist adds songs to the playlist of a name, which is created if needed.
func (s *session) addToPlaylist(name string, list []*song, at *int) error {
	ids := make([]string, len(list))
	for i, one := range list {
		ids[i] = one.id
	}
	p, err := s.named(name)
	switch {
	case err == nil:
		return s.addEntries(p.id, ids, at)
	case !errors.Is(err, errNoPlaylist):
		return err
	}
	return s.createPlaylist(name, ids)
}

func (s *session) playlistAdd(args []string) error {
	list, err := s.addition(args[1])
	if err != nil {
		return err
	}
	var at *int
	if len(args) == 3 {
		n, err := integer(args[2], 0, maxEntries)
		if err != nil {
			return err
		}
		at = &n
	}
	return s.addToPlaylist(args[0], list, at)
}

func (s *session) searchAddPlaylist(args []string) error {
	return s.find(args[1:], true, func(s *session, sel selection, found []*song) error {
		var at *int
		if sel.position != "" {
			n, err := integer(sel.position, 0, maxEntries)
			if err != nil {
				return err
			}
			at = &n
		}
		return s.addToPlaylist(args[0], found, at)
	})
}

func (s *session) playlistClear(args []string) error {
	p, err := s.named(args[0])
	if errors.Is(err, errNoPlaylist) {
		return s.createPlaylist(args[0], nil)
	}
	if err != nil {
		return err
	}
	return s.setEntries(p.id, []string{})
}

// editEntries changes the entries of a playlist. Positions count songs that the library has; others
// stay where they are.
func (s *session) editEntries(name string, change func(visible []string) ([]string, error)) error {
	p, err := s.named(name)
	if err != nil {
		return err
	}
	entries, err := s.srv.playlists.entries(s.ctx, p.id)
	if err != nil {
		return err
	}
	lib, err := s.library()
	if err != nil {
		return err
	}
	var visible []string
	hidden := map[int]string{} // by index
	for i, e := range entries {
		if lib.byID[e.ID] == nil {
			hidden[i] = e.ID
			continue
		}
		visible = append(visible, e.ID)
	}
	if visible, err = change(visible); err != nil {
		return err
	}
	for i := range entries {
		if id, ok := hidden[i]; ok {
			visible = slices.Insert(visible, min(i, len(visible)), id)
		}
	}
	return s.setEntries(p.id, visible)
}

func (s *session) playlistDelete(args []string) error {
	r, err := parseRange(args[1])
	if err != nil {
		return err
	}
	return s.editEntries(args[0], func(ids []string) ([]string, error) {
		from, to, err := r.in(len(ids))
		if err != nil {
			return nil, err
		}
		return slices.Delete(ids, from, to), nil
	})
}

func (s *session) playlistMove(args []string) error {
	r, err := parseRange(args[1])
	if err != nil {
		return err
	}
	to, err := integer(args[2], 0, maxEntries)
	if err != nil {
		return err
	}
	return s.editEntries(args[0], func(ids []string) ([]string, error) {
		from, end, err := r.in(len(ids))
		if err != nil || to > len(ids)-(end-from) {
			return nil, ack(codeArg, "Bad range")
		}
		moved := slices.Clone(ids[from:end])
		return slices.Insert(slices.Delete(ids, from, end), to, moved...), nil
	})
}
