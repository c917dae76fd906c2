package access

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"waxwing/internal/fault"
)

const maxNameLen = 64 // runes: a name is shown in one line of a list

// CleanName returns the name of a credential or app as it may be shown in a terminal or a
// page: one line of 1 to 64 printable characters.
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
// lower case and without the port that the scheme implies.
func CleanOrigin(origin string) (string, error) {
	u, err := url.Parse(strings.ToLower(strings.TrimSuffix(strings.TrimSpace(origin), "/")))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" ||
		u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || strings.Contains(u.Host, "*") {
		return "", fault.New(fault.Invalid, "an origin is written like https://example.org or http://localhost:8123, not %q", origin)
	}
	host := u.Host
	if port := u.Port(); port == "" || (u.Scheme == "http" && port == "80") || (u.Scheme == "https" && port == "443") {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return u.Scheme + "://" + host, nil
}

// printable refuses what could forge a line in a terminal or hide text: control characters,
// separators other than the space, and the marks that turn the direction of writing.
func printable(r rune) bool {
	return r == ' ' || (unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Bidi_Control, r) && r != unicode.ReplacementChar)
}
