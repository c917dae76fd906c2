package mpd

import (
	"path"
	"strings"
	"time"
)

func databaseCommands() map[string]command {
	find := func(fold bool, use func(*session, selection, []*song) error) func(*session, []string) error {
		return func(s *session, args []string) error { return s.find(args, fold, use) }
	}
	return map[string]command{
		"lsinfo":       {reads, 0, 1, (*session).lsInfo},
		"listall":      {reads, 0, 1, func(s *session, args []string) error { return s.listAll(args, false) }},
		"listallinfo":  {reads, 0, 1, func(s *session, args []string) error { return s.listAll(args, true) }},
		"listfiles":    {reads, 0, 1, (*session).listFiles},
		"find":         {reads, 1, -1, find(false, (*session).sendFound)},
		"search":       {reads, 1, -1, find(true, (*session).sendFound)},
		"findadd":      {writes, 1, -1, find(false, (*session).addFound)},
		"searchadd":    {writes, 1, -1, find(true, (*session).addFound)},
		"searchaddpl":  {writes, 2, -1, (*session).searchAddPlaylist},
		"list":         {reads, 1, -1, (*session).list},
		"count":        {reads, 1, -1, func(s *session, args []string) error { return s.count(args, false) }},
		"searchcount":  {reads, 1, -1, func(s *session, args []string) error { return s.count(args, true) }},
		"readcomments": {reads, 1, 1, (*session).readComments},
		"update":       {writes, 0, 1, func(s *session, args []string) error { return s.update(args, false) }},
		"rescan":       {writes, 0, 1, func(s *session, args []string) error { return s.update(args, true) }},
		"albumart":     {reads, 2, 2, func(s *session, args []string) error { return s.picture(args, true) }},
		"readpicture":  {reads, 2, 2, func(s *session, args []string) error { return s.picture(args, false) }},
	}
}

func (s *session) library() (*library, error) { return s.srv.songs.library(s.ctx) }

// entry returns the folder or the song of a path argument; the root without one.
func (s *session) entry(args []string) (*folder, *song, error) {
	uri := ""
	if len(args) > 0 {
		uri = args[0]
	}
	if err := checkURI(uri); err != nil {
		return nil, nil, err
	}
	lib, err := s.library()
	if err != nil {
		return nil, nil, err
	}
	f, one := lib.find(uri)
	if f == nil && one == nil {
		return nil, nil, errNoFolder
	}
	return f, one, nil
}

func (s *session) sendSong(one *song) { s.out.set(appendSong(s.out.bytes(), one, s.tags)) }

func (s *session) sendFolder(f *folder, info bool) {
	s.out.pair("directory", f.path)
	if info && f.modified > 0 {
		s.out.pair("Last-Modified", utc(f.modified))
	}
}

func (s *session) lsInfo(args []string) error {
	f, one, err := s.entry(args)
	if err != nil {
		return err
	}
	if one != nil {
		s.sendSong(one)
		return nil
	}
	for _, one := range f.songs {
		s.sendSong(one)
	}
	for _, sub := range f.folders {
		s.sendFolder(sub, true)
	}
	if f.path == "" && !s.hidePlaylists {
		return s.listPlaylists(nil)
	}
	return nil
}

func (s *session) listAll(args []string, info bool) error {
	f, one, err := s.entry(args)
	if err != nil {
		return err
	}
	send := func(one *song) {
		if info {
			s.sendSong(one)
		} else {
			s.out.text(one.text[:len(fileLine)+int(one.path)+1])
		}
	}
	if one != nil {
		send(one)
		return nil
	}
	var walk func(f *folder)
	walk = func(f *folder) {
		if f.path != "" {
			s.sendFolder(f, info)
		}
		for _, one := range f.songs {
			send(one)
		}
		for _, sub := range f.folders {
			walk(sub)
		}
	}
	walk(f)
	return s.out.err
}

// listFiles lists the songs and folders of a folder; other files are not known to the catalog.
func (s *session) listFiles(args []string) error {
	f, one, err := s.entry(args)
	if err != nil {
		return err
	}
	if one != nil {
		return errNoFolder
	}
	for _, one := range f.songs {
		s.out.pair("file", path.Base(one.uri()))
		if one.size > 0 {
			s.out.number("size", int(one.size))
		}
		if one.modified > 0 {
			s.out.pair("Last-Modified", utc(one.modified))
		}
	}
	for _, sub := range f.folders {
		s.out.pair("directory", path.Base(sub.path))
		if sub.modified > 0 {
			s.out.pair("Last-Modified", utc(sub.modified))
		}
	}
	return nil
}

// find selects songs of the library and passes them to use.
func (s *session) find(args []string, fold bool, use func(*session, selection, []*song) error) error {
	sel, err := parseSelection(args, fold)
	if err != nil {
		return err
	}
	found, err := s.selected(sel)
	if err != nil {
		return err
	}
	return use(s, sel, found)
}

func (s *session) selected(sel selection) ([]*song, error) {
	lib, err := s.library()
	if err != nil {
		return nil, err
	}
	list := lib.all
	if dir := base(sel.filter); dir != "" {
		f, one := lib.find(dir)
		switch {
		case one != nil:
			list = []*song{one}
		case f != nil:
			list = f.all(nil)
		default:
			return nil, errNoFolder
		}
	}
	return sel.from(list), nil
}

func (s *session) sendFound(_ selection, found []*song) error {
	for _, one := range found {
		s.sendSong(one)
	}
	return nil
}

func (s *session) addFound(sel selection, found []*song) error {
	_, err := s.insert(found, sel.position)
	return err
}

// readComments sends the tags that the catalog has of a song.
func (s *session) readComments(args []string) error {
	_, one, err := s.entry(args)
	if err != nil || one == nil {
		return songError(err)
	}
	for _, p := range one.spans {
		s.out.pair(strings.ToUpper(tagNames[p.tag]), one.text[p.from:p.to])
	}
	return nil
}

// songError is the error for a URI that must name a song.
func songError(err error) error {
	if err == nil || err == errNoFolder {
		return errNoSong
	}
	return err
}

func (s *session) stats([]string) error {
	lib, err := s.library()
	if err != nil {
		return err
	}
	s.out.number("uptime", int(time.Since(s.srv.started)/time.Second))
	s.out.number("playtime", int(s.srv.playtime()/time.Second))
	s.out.number("artists", lib.artists)
	s.out.number("albums", lib.albums)
	s.out.number("songs", len(lib.all))
	s.out.number("db_playtime", int(lib.seconds))
	s.out.number("db_update", int(max(lib.newest, s.srv.songs.lastChange())))
	return nil
}
