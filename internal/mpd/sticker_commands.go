package mpd

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"waxwing/api/catalogapi"
)

// The stickers that the catalog stores: those of the user of the player.
const (
	stickerRating    = "rating" // 0 to 10; the catalog has half as many stars
	stickerLike      = "like"   // 0 dislike, 1 neutral, 2 like
	stickerPlayCount = "playCount"
)

var errNoSticker = ack(codeNoExist, "no such sticker")

func stickerCommands() map[string]command {
	return map[string]command{
		"sticker":           {reads, 3, -1, (*session).sticker},
		"stickernames":      {reads, 0, 0, (*session).stickerNames},
		"stickertypes":      {reads, 0, 0, (*session).stickerTypes},
		"stickernamestypes": {reads, 0, 1, (*session).stickerNamesTypes},
	}
}

// sticker reads and changes values that clients attach to songs.
func (s *session) sticker(args []string) error {
	verb, kind, uri, rest := args[0], args[1], args[2], args[3:]
	if kind != "song" {
		return ack(codeArg, "unknown sticker domain")
	}
	forms := map[string]struct {
		min, max int
		write    bool
	}{
		"get": {1, 1, false}, "list": {0, 0, false}, "find": {1, 7, false},
		"set": {2, 2, true}, "inc": {2, 2, true}, "dec": {2, 2, true}, "delete": {0, 1, true},
	}
	form, known := forms[verb]
	if !known || len(rest) < form.min || len(rest) > form.max {
		return ack(codeArg, "bad request")
	}
	if form.write {
		if err := s.permit(command{need: writes}, "sticker "+verb); err != nil {
			return err
		}
	}
	if verb == "find" {
		return s.findStickers(uri, rest)
	}
	_, one, err := s.entry([]string{uri})
	if err != nil || one == nil {
		return songError(err)
	}
	switch verb {
	case "get":
		return s.getSticker(one, rest[0])
	case "list":
		return s.listStickers(one)
	case "delete":
		name := ""
		if len(rest) == 1 {
			name = rest[0]
		}
		err = s.deleteSticker(one, name)
	case "set":
		err = s.setSticker(one, rest[0], rest[1])
	default:
		err = s.incSticker(one, rest[0], rest[1], verb == "dec")
	}
	if err == nil {
		s.srv.hub.notify(eventSticker)
	}
	return err
}

// personal reads what the user did with a song.
func (s *session) personal(one *song) (catalogapi.Me, error) {
	ctx, cancel := context.WithTimeout(s.ctx, requestTime)
	defer cancel()
	c, err := s.srv.cfg.Catalog.SongForMe(ctx, one.id)
	if err != nil || c.Me == nil {
		return catalogapi.Me{}, catalogError(err, "No such song")
	}
	return *c.Me, nil
}

// fromCatalog returns the value of a sticker that the catalog stores, with the exact value that a
// client has set if the catalog still agrees with it.
func fromCatalog(name string, me catalogapi.Me, own string) string {
	switch name {
	case stickerRating:
		if n, err := strconv.Atoi(own); err == nil && stars(n) == me.Rating {
			return own
		}
		if me.Rating > 0 {
			return strconv.Itoa(2 * me.Rating)
		}
	case stickerLike:
		if own != "" && (own == "2") == me.Liked {
			return own
		}
		if me.Liked {
			return "2"
		}
	case stickerPlayCount:
		if me.PlayCount > 0 {
			return strconv.Itoa(me.PlayCount)
		}
	}
	return ""
}

// stars is a rating of 0 to 10 as 0 to 5 stars.
func stars(rating int) int { return (rating + 1) / 2 }

func inCatalog(name string) bool {
	return name == stickerRating || name == stickerLike || name == stickerPlayCount
}

func (s *session) value(one *song, name string) (string, bool, error) {
	own, ok := s.srv.stickers.get(one.id, name)
	if !inCatalog(name) {
		return own, ok, nil
	}
	me, err := s.personal(one)
	if err != nil {
		return "", false, err
	}
	value := fromCatalog(name, me, own)
	return value, value != "", nil
}

func (s *session) sendSticker(name, value string) { s.out.pair("sticker", name+"="+value) }

func (s *session) getSticker(one *song, name string) error {
	value, ok, err := s.value(one, name)
	if err != nil {
		return err
	}
	if !ok {
		return errNoSticker
	}
	s.sendSticker(name, value)
	return nil
}

func (s *session) listStickers(one *song) error {
	me, err := s.personal(one)
	if err != nil {
		return err
	}
	values := s.srv.stickers.all(one.id)
	for _, name := range []string{stickerRating, stickerLike, stickerPlayCount} {
		if values[name] = fromCatalog(name, me, values[name]); values[name] == "" {
			delete(values, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		s.sendSticker(name, values[name])
	}
	return nil
}

func (s *session) setSticker(one *song, name, value string) error {
	if err := s.toCatalog(one, name, value); err != nil {
		return err
	}
	return s.srv.stickers.set(one.id, name, func(string, bool) (string, error) { return value, nil })
}

// toCatalog changes what the catalog stores of a sticker.
func (s *session) toCatalog(one *song, name, value string) error {
	c := s.srv.cfg.Catalog
	ctx, cancel := context.WithTimeout(s.ctx, requestTime)
	defer cancel()
	var err error
	switch name {
	case stickerRating:
		n, bad := integer(value, 0, 10)
		if bad != nil {
			return ack(codeArg, "rating must be a number from 0 to 10")
		}
		err = c.Rate(ctx, one.id, stars(n))
	case stickerLike:
		switch value {
		case "2":
			err = c.Like(ctx, one.id)
		case "0", "1":
			err = c.Unlike(ctx, one.id)
		default:
			return ack(codeArg, "like must be 0, 1 or 2")
		}
	case stickerPlayCount:
		return ack(codePermission, "playCount is counted by the catalog")
	}
	if err != nil {
		return catalogError(err, "No such song")
	}
	return nil
}

// incSticker adds a number to a value; a missing one is 0.
func (s *session) incSticker(one *song, name, by string, down bool) error {
	n, err := integer(by, -1<<31, 1<<31-1)
	if err != nil {
		return err
	}
	if down {
		n = -n
	}
	if inCatalog(name) {
		value, _, err := s.value(one, name)
		if err != nil {
			return err
		}
		return s.setSticker(one, name, strconv.Itoa(number(value)+n))
	}
	return s.srv.stickers.set(one.id, name, func(old string, known bool) (string, error) {
		was, err := strconv.Atoi(old)
		if known && err != nil {
			return "", ack(codeArg, "the sticker is not a number")
		}
		return strconv.Itoa(was + n), nil
	})
}

func (s *session) deleteSticker(one *song, name string) error {
	if name == stickerPlayCount {
		return ack(codePermission, "playCount is counted by the catalog")
	}
	had := false
	for _, n := range []string{stickerRating, stickerLike} {
		if name != "" && name != n {
			continue
		}
		if _, ok, err := s.value(one, n); err != nil {
			return err
		} else if ok {
			had = true
			if err := s.toCatalog(one, n, "0"); err != nil {
				return err
			}
		}
	}
	found, err := s.srv.stickers.remove(one.id, name)
	if err == nil && !found && !had {
		err = errNoSticker
	}
	return err
}

// stickersInUse returns the names of own stickers and of those that the catalog stores.
func (s *session) stickersInUse() map[string]bool {
	names := s.srv.stickers.names()
	for _, name := range []string{stickerRating, stickerLike, stickerPlayCount} {
		names[name] = true
	}
	return names
}

func (s *session) stickerNames([]string) error {
	names := s.stickersInUse()
	for _, name := range slices.Sorted(maps.Keys(names)) {
		s.out.pair("name", name)
	}
	return nil
}

func (s *session) stickerTypes([]string) error {
	s.out.pair("stickertype", "song")
	return nil
}

func (s *session) stickerNamesTypes(args []string) error {
	if len(args) == 1 && args[0] != "song" {
		return ack(codeArg, "unknown sticker domain")
	}
	names := s.stickersInUse()
	for _, name := range slices.Sorted(maps.Keys(names)) {
		s.out.pair("name", name)
		s.out.pair("type", "song")
	}
	return nil
}
