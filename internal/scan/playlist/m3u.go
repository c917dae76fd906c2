package playlist

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/tags"
)

func parseM3U(r *bufio.Reader) (l List, err error) {
	var next Entry
	err = eachLine(r, func(line string) bool {
		switch {
		case strings.HasPrefix(line, "#EXTINF:"):
			next = parseEXTINF(strings.TrimPrefix(line, "#EXTINF:"))
		case strings.HasPrefix(line, "#PLAYLIST:"):
			l.Name = tags.Clean(strings.TrimPrefix(line, "#PLAYLIST:"))
		case strings.HasPrefix(line, "#"):
		default:
			next.Location = line
			l.Entries = append(l.Entries, next)
			next = Entry{}
		}
		return len(l.Entries) < maxEntries
	})
	return l, err
}

// parseEXTINF parses "123,Artist - Title", optionally with attributes before the comma.
func parseEXTINF(s string) Entry {
	head, name, _ := strings.Cut(s, ",")
	length, _, _ := strings.Cut(strings.TrimSpace(head), " ")
	var e Entry
	if n, err := strconv.ParseFloat(length, 64); err == nil && n > 0 && n < 1e7 {
		e.Duration = time.Duration(n * float64(time.Second))
	}
	e.Artist, e.Title = splitName(tags.Clean(name))
	return e
}

func writeM3U(b *bytes.Buffer, l List) {
	b.WriteString("#EXTM3U\n")
	if l.Name != "" {
		fmt.Fprintf(b, "#PLAYLIST:%s\n", oneLine(l.Name))
	}
	for _, e := range l.Entries {
		if name := joinName(e); name != "" {
			fmt.Fprintf(b, "#EXTINF:%d,%s\n", seconds(e.Duration), name)
		}
		location := strings.NewReplacer("\n", " ", "\r", " ").Replace(e.Location)
		if strings.HasPrefix(location, "#") {
			location = "./" + location
		}
		b.WriteString(location + "\n")
	}
}
