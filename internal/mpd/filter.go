package mpd

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// filter selects songs. priority is that of a queued song, and 0 elsewhere.
type filter interface {
	match(s *song, priority int) bool
}

type and []filter

func (f and) match(s *song, priority int) bool {
	for _, part := range f {
		if !part.match(s, priority) {
			return false
		}
	}
	return true
}

type not struct{ filter }

func (f not) match(s *song, priority int) bool { return !f.filter.match(s, priority) }

func negate(f filter, negated bool) filter {
	if negated {
		return not{f}
	}
	return f
}

// everything matches every song.
type everything struct{}

func (everything) match(*song, int) bool { return true }

// tagFilter compares the values of a tag. A song without the tag matches the empty value only.
type tagFilter struct {
	tag     tag
	m       matcher
	negated bool
}

func (f tagFilter) match(s *song, _ int) bool {
	if f.tag == tagAny {
		for _, p := range s.spans {
			if f.m.match(s.text[p.from:p.to]) {
				return !f.negated
			}
		}
		return f.negated
	}
	present, found := s.values(f.tag, f.m.match)
	if !present {
		found = f.m.matchesNothing()
	}
	return found != f.negated
}

type uriFilter struct{ m matcher }

func (f uriFilter) match(s *song, _ int) bool { return f.m.match(s.uri()) }

// baseFilter selects the songs below a folder.
type baseFilter string

func (f baseFilter) match(s *song, _ int) bool {
	uri := s.uri()
	return f == "" || strings.HasPrefix(uri, string(f)) && (len(uri) == len(f) || uri[len(f)] == '/')
}

type sinceFilter struct {
	unix  int64
	added bool
}

func (f sinceFilter) match(s *song, _ int) bool {
	if f.added {
		return s.created >= f.unix
	}
	return s.modified >= f.unix
}

// formatFilter compares rate, bits and channels; "*" is any.
type formatFilter [3]string

func (f formatFilter) match(s *song, _ int) bool {
	if s.format.rate == 0 {
		return false
	}
	bits := "f"
	if s.format.bits > 0 {
		bits = strconv.Itoa(s.format.bits)
	}
	for i, value := range [...]string{strconv.Itoa(s.format.rate), bits, strconv.Itoa(s.format.channels)} {
		if f[i] != "*" && f[i] != value {
			return false
		}
	}
	return true
}

type priorityFilter int

func (f priorityFilter) match(_ *song, priority int) bool { return priority >= int(f) }

// comparison is a way to compare texts.
type comparison uint8

const (
	equals comparison = iota
	contains
	startsWith
	matches
)

// matcher compares a text with a fixed one.
type matcher struct {
	how     comparison
	text    string // folded if fold is true
	fold    bool
	ascii   bool // text is ASCII, so that most texts are compared without folding them
	pattern *regexp.Regexp
}

func newMatcher(how comparison, text string, fold bool) matcher {
	m := matcher{how: how, text: text, fold: fold, ascii: isASCII(text)}
	if fold {
		m.text = foldText(text)
	}
	return m
}

// matchesNothing reports whether a song without the tag matches: if the tag is compared with the
// empty text.
func (m matcher) matchesNothing() bool {
	if m.how == matches {
		return m.pattern.MatchString("")
	}
	return m.text == ""
}

func (m matcher) match(value string) bool {
	if m.how == matches {
		return m.pattern.MatchString(value)
	}
	if m.fold {
		if m.ascii && isASCII(value) {
			return m.matchASCII(value)
		}
		value = foldText(value)
	}
	switch m.how {
	case contains:
		return strings.Contains(value, m.text)
	case startsWith:
		return strings.HasPrefix(value, m.text)
	}
	return value == m.text
}

// matchASCII compares without regard to case and without allocation.
func (m matcher) matchASCII(value string) bool {
	n := len(m.text)
	switch m.how {
	case equals:
		return len(value) == n && equalFoldASCII(value, m.text)
	case startsWith:
		return len(value) >= n && equalFoldASCII(value[:n], m.text)
	}
	if n == 0 {
		return true
	}
	first := m.text[0]
	for i := 0; i+n <= len(value); i++ {
		if lowerASCII(value[i]) == first && equalFoldASCII(value[i:i+n], m.text) {
			return true
		}
	}
	return false
}

// equalFoldASCII compares a value with a text in lower case of the same length.
func equalFoldASCII(value, lower string) bool {
	for i := range len(lower) {
		if lowerASCII(value[i]) != lower[i] {
			return false
		}
	}
	return true
}

func lowerASCII(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldText returns s in a form that is equal for texts that differ in case only.
func foldText(s string) string {
	return strings.Map(func(r rune) rune {
		if r == 'ẞ' || r == 'ß' {
			return 'ß'
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, s)
}
