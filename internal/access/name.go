package access

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"waxwing/internal/fault"
)

const maxNameLen = 64 // runes: a name fits on one line of a list

// CleanName returns the trimmed name of a credential or app. The name must be safe to print in a
// terminal or a page: one line of 1 to 64 printable characters.
func CleanName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > maxNameLen || !utf8.ValidString(name) {
		return "", fault.New(fault.Invalid, "name must have 1 to %d characters", maxNameLen)
	}
	for _, r := range name {
		if !printable(r) {
			return "", fault.New(fault.Invalid, "name must be one line of printable characters")
		}
	}
	return name, nil
}

// CleanOrigin returns a web origin exactly as a browser writes it in the Origin header:
// lower case, without the scheme's default port.
func CleanOrigin(origin string) (string, error) {
	u, err := url.Parse(strings.ToLower(strings.TrimSuffix(strings.TrimSpace(origin), "/")))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" ||
		u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || strings.Contains(u.Host, "*") {
		return "", fault.New(fault.Invalid,
			"%q is not an origin; write one like https://example.org or http://localhost:8123", origin)
	}
	host := u.Host
	if port := u.Port(); port == "" || (u.Scheme == "http" && port == "80") || (u.Scheme == "https" && port == "443") {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return u.Scheme + "://" + host, nil
}

// printable reports whether r can neither forge a line in a terminal nor hide text. Control
// characters, separators other than the space, and bidirectional controls are not printable.
func printable(r rune) bool {
	return r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r) &&
		!unicode.Is(unicode.Bidi_Control, r) && r != unicode.ReplacementChar
}
