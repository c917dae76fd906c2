package httpkit

import (
	"net"
	"net/http"
	"strconv"
	"strings"
)

// hostGuard holds the accepted host names. It protects against DNS rebinding: a web page can
// point its own name at our address, but its requests then carry that name.
type hostGuard struct {
	names     map[string]bool // configured: "name" for the port of the server, or "name:port"
	public    publicURL
	byAddress bool // also accept the address itself and no host, which no page can send
}

func newHostGuard(hosts []string, public publicURL, byAddress bool) hostGuard {
	g := hostGuard{names: make(map[string]bool, len(hosts)), public: public, byAddress: byAddress}
	for _, h := range hosts {
		g.names[strings.ToLower(h)] = true
	}
	return g
}

// allows reports whether the Host is accepted. The local address of the connection decides, not
// the configured one: loopback names for loopback connections, that address itself for others,
// configured names for all. An address needs no DNS, so no page can make it its own name.
func (g hostGuard) allows(r *http.Request) bool {
	if !strings.HasPrefix(r.RequestURI, "/") && r.RequestURI != "*" {
		return false // the absolute form is for proxies
	}
	if FromOwner(r.Context()) {
		return strings.EqualFold(r.Host, ownerHost)
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok {
		return false
	}
	if g.public.has(r.Host) || len(g.names) > 0 && g.configured(r.Host, local.Port) {
		return true
	}
	if g.byAddress && (r.Host == "" || r.Host == local.String()) {
		return true
	}
	if !local.IP.IsLoopback() {
		return r.Host == local.String() || local.Port == 80 && r.Host == strings.TrimSuffix(local.String(), ":80")
	}
	name, port, found := cutPort(r.Host)
	if found && port != local.Port || !found && local.Port != 80 {
		return false
	}
	return name == "127.0.0.1" || name == "[::1]" || strings.EqualFold(name, "localhost")
}

func (g hostGuard) configured(host string, localPort int) bool {
	host = strings.ToLower(host)
	if g.names[host] {
		return true
	}
	name, port, found := cutPort(host)
	return found && port == localPort && g.names[name]
}

// quoteHost shortens and escapes an untrusted host name for the log.
func quoteHost(host string) string {
	const limit = 80
	more := ""
	if len(host) > limit {
		host, more = host[:limit], "..."
	}
	quoted := strconv.QuoteToASCII(host)
	return quoted[1:len(quoted)-1] + more
}

// cutPort splits a Host at its port, which must be a decimal number without leading zeros.
func cutPort(host string) (name string, port int, found bool) {
	i := strings.LastIndexByte(host, ':')
	if i < 0 || strings.HasSuffix(host, "]") {
		return host, 0, false
	}
	port, err := strconv.Atoi(host[i+1:])
	if err != nil || host[i+1] < '1' || host[i+1] > '9' {
		return host, 0, true
	}
	return host[:i], port, true
}
