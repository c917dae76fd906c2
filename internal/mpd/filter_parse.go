package mpd

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of filters: an expression is checked for every song.
const (
	maxFilterDepth = 64
	maxFilterTerms = 256
	maxPattern     = 1024
)

// filterParser reads the expressions of MPD: "((artist == 'x') AND (!(title contains 'y')))".
type filterParser struct {
	rest  string
	fold  bool // compare without regard to case
	depth int
	terms int
}

// parseFilter reads the filter of a command: one expression, or pairs of a tag and a value.
func parseFilter(args []string, fold bool) (filter, error) {
	if len(args) == 0 {
		return nil, ack(codeArg, "Incorrect number of filter arguments")
	}
	var all and
	p := &filterParser{fold: fold}
	for len(args) > 0 {
		if strings.HasPrefix(args[0], "(") {
			p.rest = args[0]
			f, err := p.expression()
			if err != nil {
				return nil, err
			}
			if p.rest != "" {
				return nil, ack(codeArg, "Unparsed garbage after expression")
			}
			all = append(all, f)
			args = args[1:]
			continue
		}
		if len(args) < 2 {
			return nil, ack(codeArg, "Incorrect number of filter arguments")
		}
		f, err := p.pair(args[0], args[1])
		if err != nil {
			return nil, err
		}
		all = append(all, f)
		args = args[2:]
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return all, nil
}

// pair converts the older form: a tag and a value, which search finds anywhere in the tag.
func (p *filterParser) pair(name, value string) (filter, error) {
	if p.terms++; p.terms > maxFilterTerms {
		return nil, ack(codeArg, "Too many filter terms")
	}
	how := equals
	if p.fold {
		how = contains
	}
	switch strings.ToLower(name) {
	case "file", "filename":
		return uriFilter{newMatcher(how, value, p.fold)}, nil
	case "base":
		return baseFilter(strings.Trim(value, "/")), nil
	case "modified-since":
		return parseSince(value, false)
	case "added-since":
		return parseSince(value, true)
	case "any":
		return tagFilter{tagAny, newMatcher(how, value, p.fold), false}, nil
	}
	t, known := tagNamed(name)
	if !known {
		return nil, ack(codeArg, "Unknown filter type")
	}
	return tagFilter{t, newMatcher(how, value, p.fold), false}, nil
}

func (p *filterParser) skip() { p.rest = strings.TrimLeft(p.rest, " \t") }

// expect reads a fixed character.
func (p *filterParser) expect(c byte) error {
	if p.skip(); p.rest == "" || p.rest[0] != c {
		return ack(codeArg, "'%c' expected", c)
	}
	p.rest = p.rest[1:]
	return nil
}

// expression reads what is in one pair of parentheses.
func (p *filterParser) expression() (filter, error) {
	if p.depth++; p.depth > maxFilterDepth {
		return nil, ack(codeArg, "The filter is nested too deeply")
	}
	defer func() { p.depth-- }()
	if err := p.expect('('); err != nil {
		return nil, err
	}
	p.skip()
	switch {
	case strings.HasPrefix(p.rest, "("):
		return p.conjunction()
	case strings.HasPrefix(p.rest, "!"):
		p.rest = p.rest[1:]
		f, err := p.expression()
		if err != nil {
			return nil, err
		}
		return not{f}, p.expect(')')
	}
	if p.terms++; p.terms > maxFilterTerms {
		return nil, ack(codeArg, "Too many filter terms")
	}
	f, err := p.term()
	if err != nil {
		return nil, err
	}
	return f, p.expect(')')
}

// conjunction reads "(…) AND (…))".
func (p *filterParser) conjunction() (filter, error) {
	var all and
	for {
		f, err := p.expression()
		if err != nil {
			return nil, err
		}
		all = append(all, f)
		if p.skip(); strings.HasPrefix(p.rest, ")") {
			p.rest = p.rest[1:]
			return all, nil
		}
		if p.word() != "AND" {
			return nil, ack(codeArg, "'AND' expected")
		}
	}
}

// word reads letters, digits, "-" and "_".
func (p *filterParser) word() string {
	p.skip()
	end := 0
	for end < len(p.rest) && (p.rest[end] == '-' || p.rest[end] == '_' || p.rest[end]|0x20 >= 'a' &&
		p.rest[end]|0x20 <= 'z' || p.rest[end] >= '0' && p.rest[end] <= '9') {
		end++
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	return word
}

// quotedValue reads a string in quotes of either kind.
func (p *filterParser) quotedValue() (string, error) {
	p.skip()
	if p.rest == "" || p.rest[0] != '\'' && p.rest[0] != '"' {
		return "", ack(codeArg, "Quoted string expected")
	}
	quote := p.rest[0]
	var b strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == quote:
			p.rest = p.rest[i+1:]
			return b.String(), nil
		case c == '\\' && i+1 < len(p.rest):
			i++
			b.WriteByte(p.rest[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", ack(codeArg, "Closing quote not found")
}

// term reads a comparison, without its parentheses.
func (p *filterParser) term() (filter, error) {
	name := p.word()
	switch lower := strings.ToLower(name); lower {
	case "base":
		value, err := p.quotedValue()
		return baseFilter(strings.Trim(value, "/")), err
	case "modified-since", "added-since":
		value, err := p.quotedValue()
		if err != nil {
			return nil, err
		}
		return parseSince(value, lower == "added-since")
	case "audioformat":
		return p.audioFormat()
	case "prio":
		return p.priority()
	case "file", "filename":
		m, negated, err := p.comparison()
		return negate(uriFilter{m}, negated), err
	case "any":
		m, negated, err := p.comparison()
		return tagFilter{tagAny, m, negated}, err
	}
	t, known := tagNamed(name)
	if !known {
		return nil, ack(codeArg, "Unknown filter type: %s", clip(name, 100))
	}
	m, negated, err := p.comparison()
	return tagFilter{t, m, negated}, err
}

// operators of texts, longest first. A suffix _cs or _ci decides about case.
var operators = []struct {
	word    string
	how     comparison
	negated bool
}{
	{"starts_with", startsWith, false}, {"!starts_with", startsWith, true},
	{"contains", contains, false}, {"!contains", contains, true},
	{"eq", equals, false}, {"!eq", equals, true},
	{"==", equals, false}, {"!=", equals, true}, {"=~", matches, false}, {"!~", matches, true},
}

func (p *filterParser) comparison() (m matcher, negated bool, err error) {
	p.skip()
	for _, op := range operators {
		if !strings.HasPrefix(p.rest, op.word) {
			continue
		}
		rest, fold := p.rest[len(op.word):], p.fold
		switch {
		case op.how == matches:
		case strings.HasPrefix(rest, "_cs"):
			rest, fold = rest[3:], false
		case strings.HasPrefix(rest, "_ci"):
			rest, fold = rest[3:], true
		case op.word == "eq" || op.word == "!eq":
			continue
		}
		p.rest = rest
		value, err := p.quotedValue()
		if err != nil {
			return matcher{}, false, err
		}
		if op.how == matches {
			m, err = newRegexp(value, fold)
			return m, op.negated, err
		}
		return newMatcher(op.how, value, fold), op.negated, nil
	}
	return matcher{}, false, ack(codeArg, "'==' or '!=' expected")
}

// newRegexp compiles a regular expression, which takes linear time in Go.
func newRegexp(pattern string, fold bool) (matcher, error) {
	if len(pattern) > maxPattern {
		return matcher{}, ack(codeArg, "Regular expression is too long")
	}
	if fold {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return matcher{}, ack(codeArg, "Error in regex: %v", err)
	}
	return matcher{how: matches, pattern: re}, nil
}

// sampleFormats are the names of samples in an audio format.
var sampleFormats = []string{"8", "16", "24", "32", "f", "dsd"}

// audioFormat reads "== '44100:16:2'" or "=~ '44100:*:2'".
func (p *filterParser) audioFormat() (filter, error) {
	p.skip()
	mask := strings.HasPrefix(p.rest, "=~")
	if !mask && !strings.HasPrefix(p.rest, "==") {
		return nil, ack(codeArg, "'==' or '=~' expected")
	}
	p.rest = p.rest[2:]
	value, err := p.quotedValue()
	if err != nil {
		return nil, err
	}
	parts := strings.Split(value, ":")
	if len(parts) != 3 {
		return nil, ack(codeArg, "Failed to parse audio format")
	}
	for i, part := range parts {
		if part == "*" && mask {
			continue
		}
		if i == 1 && !slices.Contains(sampleFormats, part) {
			return nil, ack(codeArg, "Invalid sample format: %s", clip(part, 100))
		}
		if i == 1 {
			continue
		}
		if n, err := strconv.Atoi(part); err != nil || n <= 0 {
			return nil, ack(codeArg, "Failed to parse audio format")
		}
	}
	return formatFilter{parts[0], parts[1], parts[2]}, nil
}

// priority reads ">= N".
func (p *filterParser) priority() (filter, error) {
	if p.skip(); !strings.HasPrefix(p.rest, ">=") {
		return nil, ack(codeArg, "'>=' expected")
	}
	p.rest = p.rest[2:]
	n, err := strconv.Atoi(p.word())
	if err != nil || n < 0 || n > 255 {
		return nil, ack(codeArg, "Number expected")
	}
	return priorityFilter(n), nil
}

// parseSince reads a time in ISO 8601 or seconds since 1970.
func parseSince(value string, added bool) (filter, error) {
	if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= 0 {
		return sinceFilter{n, added}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "20060102T150405Z", "2006-01-02"} {
		if at, err := time.Parse(layout, value); err == nil {
			return sinceFilter{at.Unix(), added}, nil
		}
	}
	return nil, ack(codeArg, "Failed to parse date")
}
