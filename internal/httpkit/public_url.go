package httpkit

import (
	"net/url"
	"strings"
)

// publicURL is the address at which a proxy with TLS serves this server. Headers that a proxy adds
// are ignored: without a proxy, every client could send them.
type publicURL struct{ scheme, host string } // host in lower case, without the default port

// parsePublicURL returns the scheme and the host of a URL; none for "".
func parsePublicURL(text string) publicURL {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return publicURL{}
	}
	p := publicURL{scheme: strings.ToLower(u.Scheme)}
	p.host = p.withoutPort(u.Host)
	return p
}

// has reports whether a Host header names this address.
func (p publicURL) has(host string) bool { return p.host != "" && p.withoutPort(host) == p.host }

// withoutPort removes the default port of the scheme.
func (p publicURL) withoutPort(host string) string {
	host = strings.ToLower(host)
	if p.scheme == "https" {
		return strings.TrimSuffix(host, ":443")
	}
	return strings.TrimSuffix(host, ":80")
}
