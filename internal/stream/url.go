package stream

import (
	"crypto/sha256"
	"math/big"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"waxwing/internal/fault"
)

// MaxURL is the length of the longest URL, in bytes.
const MaxURL = 1024

// Parse checks a URL that a person or a program wants to play. The policy of addresses is checked
// again for each connection.
func (p Policy) Parse(text string) (*url.URL, error) {
	if len(text) > MaxURL {
		return nil, fault.New(fault.Invalid, "url must not be longer than %d bytes", MaxURL)
	}
	u, err := url.Parse(text)
	if err != nil || !utf8.ValidString(text) || strings.IndexFunc(text, unicode.IsControl) >= 0 {
		return nil, fault.New(fault.Invalid, "url is not valid") // without the cause, which has the URL
	}
	if err := checkURL(u); err != nil {
		return nil, err
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil && !p.Permits(addr) {
		return nil, errNotPublic
	}
	return u, nil
}

// checkURL refuses what is never requested.
func checkURL(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fault.New(fault.Invalid, "url must begin with http:// or https://")
	case u.Hostname() == "":
		return fault.New(fault.Invalid, "url has no host")
	case u.User != nil:
		return fault.New(fault.Invalid, "url must not contain a user name or password")
	}
	return nil
}

// ID is the id of a URL as a track: always the same, and without what the URL may have of secrets.
func ID(u string) string {
	sum := sha256.Sum256([]byte(u))
	id := new(big.Int).SetBytes(sum[:]).Text(62)
	return idPrefix + id[len(id)-22:]
}

const idPrefix = "st_"

// IsID reports whether an id is that of a URL.
func IsID(id string) bool { return strings.HasPrefix(id, idPrefix) }

// Name is how a URL is displayed until more is known: the file or, if there is none, the host.
func Name(u *url.URL) string {
	if file := path.Base(u.Path); file != "." && file != "/" {
		return file
	}
	return u.Hostname()
}
