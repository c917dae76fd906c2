package playlist

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/tags"
)

func parsePLS(r *bufio.Reader) (l List, err error) {
	numbered := map[int]*Entry{}
	err = eachLine(r, func(line string) bool {
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			return true
		}
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		if key == "x-gnome-title" || key == "playlistname" {
			l.Name = tags.Clean(value)
			return true
		}
		field := strings.TrimRight(key, "0123456789")
		n, err := strconv.Atoi(key[len(field):])
		if err != nil || (field != "file" && field != "title" && field != "length") {
			return true
		}
		e := numbered[n]
		if e == nil {
			if len(numbered) == maxEntries {
				return true
			}
			e = &Entry{}
			numbered[n] = e
		}
		switch field {
		case "file":
			e.Location = value
		case "title":
			e.Artist, e.Title = splitName(tags.Clean(value))
		case "length":
			if secs, err := strconv.Atoi(value); err == nil && secs > 0 && secs < 1e7 {
				e.Duration = time.Duration(secs) * time.Second
			}
		}
		return true
	})
	order := make([]int, 0, len(numbered))
	for n, e := range numbered {
		if e.Location != "" {
			order = append(order, n)
		}
	}
	slices.SortFunc(order, cmp.Compare[int])
	for _, n := range order {
		l.Entries = append(l.Entries, *numbered[n])
	}
	return l, err
}

func writePLS(b *bytes.Buffer, l List) {
	b.WriteString("[playlist]\n")
	if l.Name != "" {
		fmt.Fprintf(b, "X-GNOME-Title=%s\n", oneLine(l.Name))
	}
	for i, e := range l.Entries {
		fmt.Fprintf(b, "File%d=%s\n", i+1, strings.NewReplacer("\n", " ", "\r", " ").Replace(e.Location))
		if name := joinName(e); name != "" {
			fmt.Fprintf(b, "Title%d=%s\n", i+1, name)
		}
		if e.Duration > 0 {
			fmt.Fprintf(b, "Length%d=%d\n", i+1, seconds(e.Duration))
		}
	}
	fmt.Fprintf(b, "NumberOfEntries=%d\nVersion=2\n", len(l.Entries))
}
