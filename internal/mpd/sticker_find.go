package mpd

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"waxwing/client"
)

// stickerTest compares the value of a sticker.
type stickerTest struct{ operator, value string }

func (t stickerTest) match(value string) bool {
	n, a := strconv.Atoi(value)
	m, b := strconv.Atoi(t.value)
	switch t.operator {
	case "":
		return true
	case "=":
		return value == t.value
	case "<":
		return value < t.value
	case ">":
		return value > t.value
	case "eq":
		return a == nil && b == nil && n == m
	case "lt":
		return a == nil && b == nil && n < m
	case "gt":
		return a == nil && b == nil && n > m
	case "contains":
		return strings.Contains(value, t.value)
	}
	return strings.HasPrefix(value, t.value) // starts_with
}

var stickerOperators = []string{"=", "<", ">", "eq", "lt", "gt", "contains", "starts_with"}

// findStickers sends the songs below a folder that have a sticker, in the order of the library.
func (s *session) findStickers(dir string, rest []string) error {
	name, rest := rest[0], rest[1:]
	var test stickerTest
	window, order := rangeArg{0, 1 << 62}, ""
	for len(rest) > 0 {
		if len(rest) < 2 {
			return ack(codeArg, "bad request")
		}
		var err error
		switch {
		case rest[0] == "sort":
			order = rest[1]
		case rest[0] == "window":
			window, err = parseRange(rest[1])
		case test.operator == "" && slices.Contains(stickerOperators, rest[0]):
			test = stickerTest{rest[0], rest[1]}
		default:
			err = ack(codeArg, "bad operator")
		}
		if err != nil {
			return err
		}
		rest = rest[2:]
	}
	f, one, err := s.entry([]string{dir})
	if err == errNoFolder {
		return nil
	}
	if err != nil {
		return err
	}
	list := []*song{one}
	if f != nil {
		list = f.all(nil)
	}
	values, err := s.stickersNamed(name)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(slices.Clone(list), func(one *song) bool {
		value, ok := values[one.id]
		return !ok || !test.match(value)
	})
	if err := sortStickers(list, values, order); err != nil {
		return err
	}
	from, to := window.clamp(len(list))
	for _, one := range list[from:to] {
		s.out.text(one.text[:len(fileLine)+int(one.path)+1])
		s.sendSticker(name, values[one.id])
	}
	return nil
}

func sortStickers(list []*song, values map[string]string, order string) error {
	name, reverse := strings.CutPrefix(order, "-")
	var compare func(a, b *song) int
	switch name {
	case "":
		return nil
	case "uri":
		compare = func(a, b *song) int { return strings.Compare(a.uri(), b.uri()) }
	case "value":
		compare = func(a, b *song) int { return strings.Compare(values[a.id], values[b.id]) }
	case "value_int":
		compare = func(a, b *song) int { return number(values[a.id]) - number(values[b.id]) }
	default:
		return ack(codeArg, "Unknown sort tag")
	}
	slices.SortStableFunc(list, func(a, b *song) int {
		if reverse {
			a, b = b, a
		}
		return compare(a, b)
	})
	return nil
}

// stickersNamed returns the values of a name by the id of the song.
func (s *session) stickersNamed(name string) (map[string]string, error) {
	own := s.srv.stickers.named(name)
	if !inCatalog(name) {
		return own, nil
	}
	ctx, cancel := context.WithTimeout(s.ctx, loadTime)
	defer cancel()
	values := map[string]string{}
	for c, err := range client.AllSongs(ctx, patient(s.srv.cfg.Catalog.SongsForMe)) {
		if err != nil {
			return nil, catalogError(err, "")
		}
		if c.Me == nil {
			continue
		}
		if value := fromCatalog(name, *c.Me, own[c.ID]); value != "" {
			values[c.ID] = value
		}
	}
	return values, nil
}
