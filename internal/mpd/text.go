package mpd

import (
	"strings"
	"unicode/utf8"
)

// maxValue bounds a value in a reply: clients read lines of less than 4,096 bytes.
const maxValue = 3900

// clip returns s shortened to at most n bytes, at the end of a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// appendClean appends s as valid UTF-8 with a space in place of each control character, so that no
// text can begin a new line.
func appendClean(b []byte, s string) []byte {
	if isClean(s) {
		return append(b, s...)
	}
	for _, r := range s { // an invalid byte is U+FFFD
		if r < ' ' || r == 0x7f {
			r = ' '
		}
		b = utf8.AppendRune(b, r)
	}
	return b
}

func isClean(s string) bool {
	ascii := true
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c == 0x7f:
			return false
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return ascii || utf8.ValidString(s)
}

// cleanText returns s as it appears in replies.
func cleanText(s string) string {
	if s = clip(s, maxValue); isClean(s) {
		return s
	}
	return clip(string(appendClean(nil, s)), maxValue)
}

// appendPair appends the line "name: value".
func appendPair(b []byte, name, value string) []byte {
	b = append(b, name...)
	b = append(b, ": "...)
	return append(appendClean(b, clip(value, maxValue)), '\n')
}

// hasControl reports whether s has a control character, which no name or URI may have.
func hasControl(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) >= 0
}
