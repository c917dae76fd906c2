package scan

import (
	"path"
	"strconv"
	"strings"

	"waxwing/internal/tags"
)

// nameParts is the information in the names of a file and its folders.
type nameParts struct {
	title, artist, album string
	disc, track          int
}

// parseFileName parses "01 - Title", "01. Title", "1-02 Title", "Artist - Title" and "01 - Artist
// - Title", in folders such as "Artist/Album (1999)/CD1".
func parseFileName(p string) nameParts {
	var n nameParts
	base := path.Base(p)
	text := tags.Clean(strings.TrimSuffix(base, path.Ext(base)))
	if !strings.Contains(text, " ") {
		text = strings.TrimSpace(strings.ReplaceAll(text, "_", " "))
	}
	rest := n.numbers(text)
	if rest == "" {
		rest, n.track, n.disc = text, 0, 0
	}
	parts := strings.SplitN(rest, " - ", 2)
	if len(parts) == 2 && strings.TrimSpace(parts[0]) != "" {
		n.artist, n.title = strings.TrimSpace(parts[0]), strings.TrimSpace(parts[1])
	} else {
		n.title = strings.TrimSpace(rest)
	}
	dir := path.Dir(p)
	if disc := discFolder(path.Base(dir)); disc > 0 {
		if n.disc == 0 {
			n.disc = disc
		}
		dir = path.Dir(dir)
	}
	if dir != "." {
		n.album = withoutYear(tags.Clean(path.Base(dir)))
		if above := path.Dir(dir); above != "." && n.artist == "" {
			n.artist = tags.Clean(path.Base(above))
		}
	}
	return n
}

// numbers removes the disc and track number from the front of text.
func (n *nameParts) numbers(text string) string {
	first, rest, ok := leadingNumber(text)
	if !ok {
		return text
	}
	if after, dashed := strings.CutPrefix(rest, "-"); dashed && first < 20 {
		if second, tail, ok := leadingNumber(after); ok && hasGap(tail) {
			n.disc, n.track = first, second
			return trimGap(tail)
		}
	}
	if !hasGap(rest) {
		return text
	}
	if first > 100 && first < 1000 && first%100 > 0 && !strings.HasPrefix(text, "0") {
		n.disc, n.track = first/100, first%100 // 203 is track 3 of disc 2
	} else if first <= 200 {
		n.track = first
	} else {
		return text // a year, or a title such as "1999 - …"
	}
	return trimGap(rest)
}

func leadingNumber(s string) (n int, rest string, ok bool) {
	digits := 0
	for digits < len(s) && digits < 4 && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	n, err := strconv.Atoi(s[:digits])
	return n, s[digits:], err == nil && digits < 4
}

// hasGap reports whether s begins with a separator between a number and a title.
func hasGap(s string) bool { return s != "" && strings.ContainsRune(" .-_)", rune(s[0])) }

func trimGap(s string) string { return strings.TrimLeft(s, " .-_)") }

// withoutYear returns "Album" for "Album (1999)", "[1999] Album" and "1999 - Album".
func withoutYear(s string) string {
	for _, pair := range []string{"()", "[]"} {
		open := strings.LastIndexByte(s, pair[0])
		if open > 0 && strings.HasSuffix(s, pair[1:]) && isYear(s[open+1:len(s)-1]) {
			return strings.TrimSpace(s[:open])
		}
		if len(s) > 7 && s[0] == pair[0] && s[5] == pair[1] && isYear(s[1:5]) {
			return strings.TrimLeft(s[6:], " -")
		}
	}
	if len(s) > 7 && isYear(s[:4]) && strings.HasPrefix(s[4:], " - ") {
		return s[7:]
	}
	return s
}

func isYear(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && len(s) == 4 && n >= 1900 && n < 2100
}
