package httpkit

import (
	"net"
	"net/http"
	"strconv"
	"strings"
)

// hostGuard knows the names this server answers to. A web page can point a name of its own
// at our address (DNS rebinding); its requests then carry that name, and end here.
type hostGuard struct {
	names     map[string]bool // configured: "name" for any port of ours, or "name:port"
	byAddress bool            // also to the address itself and to none, which no page can send
}

func newHostGuard(hosts []string, byAddress bool) hostGuard {
	g := hostGuard{names: make(map[string]bool, len(hosts)), byAddress: byAddress}
	for _, h := range hosts {
		g.names[strings.ToLower(h)] = true
	}
	return g
}

// allows judges the Host by the address the connection really came in on, so that one rule
// serves any bind: loopback names for loopback connections, configured names for all.
func (g hostGuard) allows(r *http.Request) bool {
	if !strings.HasPrefix(r.RequestURI, "/") && r.RequestURI != "*" {
		return false // absolute form is for proxies, which we are not
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok {
		return false
	}
	if len(g.names) > 0 && g.configured(r.Host, local.Port) {
		return true
	}
	if g.byAddress && (r.Host == "" || r.Host == local.String()) {
		return true
	}
	if !local.IP.IsLoopback() {
		return false
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

// shownHost makes a name that a stranger chose fit for a line of the log.
func shownHost(host string) string {
	const most = 80
	more := ""
	if len(host) > most {
		host, more = host[:most], "..."
	}
	quoted := strconv.QuoteToASCII(host)
	return quoted[1:len(quoted)-1] + more
}

// cutPort splits a Host at its port, which must be written the one plain way.
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
