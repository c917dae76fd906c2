package scan

import (
	"strings"
	"unicode"

	"waxwing/internal/catalog"
)

// companions are words that continue a name after a separator: "Tyler, the Creator", "Bill Haley &
// His Comets".
var companions = []string{"the ", "his ", "her ", "their ", "la ", "los ", "die ", "das ", "le ", "les "}

// featuring are the words before featured artists, with the characters around them.
var featuring = []string{
	" feat. ", " feat ", " ft. ", " ft ", " featuring ", " (feat. ", " (feat ", " (ft. ", " (ft ", " (featuring ",
	" [feat. ", " [ft. ", " [feat ", " w/ ",
}

// splitArtists splits a credit such as "A & B feat. C" into main and featured artists.
func splitArtists(s string) (main, guests []string) {
	head, tail, found := cutFeaturing(s)
	main = splitNames(head)
	if found {
		guests = splitNames(strings.TrimRight(tail, ")] "))
	}
	return main, guests
}

// titleGuests returns the featured artists of a title such as "Song (feat. B)".
func titleGuests(title string) []string {
	for _, open := range []string{"(", "["} {
		at := strings.Index(lower(title), open+"f")
		if at < 1 {
			continue
		}
		_, tail, found := cutFeaturing(title[at-1:])
		if end := strings.IndexAny(tail, ")]"); found && end > 0 {
			return splitNames(tail[:end])
		}
	}
	return nil
}

func cutFeaturing(s string) (head, tail string, found bool) {
	low := lower(s)
	best, length := -1, 0
	for _, word := range featuring {
		if at := strings.Index(low, word); at >= 0 && (best < 0 || at < best) {
			best, length = at, len(word)
		}
	}
	if best < 0 {
		return s, "", false
	}
	return s[:best], s[best+length:], true
}

// lower changes ASCII letters only, so that offsets stay the same.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// splitNames splits a list of artists at its separators, except names that only look like lists.
func splitNames(s string) []string {
	low := lower(s)
	if !strings.ContainsAny(low, ";/\\|,&×、\x00") && !strings.Contains(low, " vs") {
		if name := strings.TrimSpace(s); name != "" {
			return []string{name}
		}
		return nil
	}
	var out []string
	start := 0
	cut := func(end, next int) {
		if name := strings.TrimSpace(s[start:end]); name != "" {
			out = append(out, name)
		}
		start = next
	}
	for i := 0; i < len(s); {
		if i == start || isBoundary(low, i) {
			if n := compoundNameAt(low, skipSpace(low, i)); n > 0 {
				i = n
				continue
			}
		}
		if n := separatorAt(s, low, start, i); n > 0 {
			cut(i, i+n)
			i += n
			continue
		}
		i++
	}
	cut(len(s), len(s))
	return out
}

func skipSpace(s string, i int) int {
	for i < len(s) && s[i] == ' ' {
		i++
	}
	return i
}

func isBoundary(s string, i int) bool { return i > 0 && s[i-1] == ' ' }

// compoundNameAt returns the end of the compound name that begins at i, or 0.
func compoundNameAt(low string, i int) int {
	for _, name := range compoundNames {
		if strings.HasPrefix(low[i:], name) {
			end := i + len(name)
			if end == len(low) || strings.IndexByte(" ,;/&)", low[end]) >= 0 {
				return end
			}
		}
	}
	return 0
}

// separatorAt returns the length of the separator at i, or 0. The name before it begins at start.
func separatorAt(s, low string, start, i int) int {
	rest := low[i:]
	for _, sep := range []string{";", " / ", "\\\\", " vs. ", " vs ", " × ", "、", " | ", "\x00"} {
		if strings.HasPrefix(rest, sep) {
			return len(sep)
		}
	}
	before := s[start:i]
	switch {
	case strings.HasPrefix(rest, ", ") && !isCompanion(rest[2:]) && !allSingleWords(s[start:]):
		return 2
	case strings.HasPrefix(rest, " & ") && !isCompanion(rest[3:]) && !allSingleWords(s[start:]):
		return 3
	case strings.HasPrefix(rest, "/") && letters(before) >= 3 && letters(nextName(s[i+1:])) >= 3:
		return 1
	}
	return 0
}

func isCompanion(after string) bool {
	for _, word := range companions {
		if strings.HasPrefix(after, word) {
			return true
		}
	}
	return false
}

// allSingleWords reports whether a list joined by "&" consists of single words. Such a list is
// more often the name of a band ("Peter, Paul & Mary") than a list of artists.
func allSingleWords(s string) bool {
	if !strings.Contains(s, " & ") {
		return false
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(s, " & ", ", "), ", ") {
		if strings.ContainsAny(strings.TrimSpace(part), " ;/") {
			return false
		}
	}
	return true
}

func nextName(s string) string {
	if end := strings.IndexAny(s, ";/,&"); end >= 0 {
		return s[:end]
	}
	return s
}

func letters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// artistTags are the artists of a song or an album as the tags name them.
type artistTags struct {
	values []string
	listed bool // each value is one artist
	sorts  []string
	ids    []string // MusicBrainz
}

// credits splits the values into artists. Identifiers and sort names are assigned in order if
// there is one for each artist.
func (p artistTags) credits() []catalog.Credit {
	var main, guests []string
	for _, v := range p.values {
		m, g := []string{v}, []string(nil)
		switch {
		case p.listed, len(p.ids) == 1:
			if head, tail, found := cutFeaturing(v); found && len(p.ids) != 1 {
				m, g = []string{strings.TrimSpace(head)}, splitNames(strings.TrimRight(tail, ")] "))
			}
		default:
			m, g = splitArtists(v)
		}
		main, guests = append(main, m...), append(guests, g...)
	}
	var out []catalog.Credit
	add := func(names []string, role catalog.Role) {
		for _, name := range names {
			if name != "" && !credited(out, name) {
				out = append(out, catalog.Credit{Artist: catalog.ArtistTag{Name: name}, Role: role})
			}
		}
	}
	add(main, catalog.MainArtist)
	add(guests, catalog.FeaturedArtist)
	for i := range out {
		if len(p.ids) == len(out) {
			out[i].Artist.MusicBrainz = p.ids[i]
		}
		if len(p.sorts) == len(out) {
			out[i].Artist.SortName = p.sorts[i]
		}
	}
	return out
}

func credited(list []catalog.Credit, name string) bool {
	for _, c := range list {
		if strings.EqualFold(c.Artist.Name, name) {
			return true
		}
	}
	return false
}
