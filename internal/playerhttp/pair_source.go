package playerhttp

import (
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"

	"waxwing/internal/httpkit"
)

// sourceOf identifies the sender of a request without a credential: by its address, and on this
// machine by its account, because every account can send from every loopback address. Requests of
// the server's own account are distinguished by their address.
func sourceOf(r *http.Request) string {
	address := httpkit.Network(r.RemoteAddr).String()
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !remote.Addr().Unmap().IsLoopback() {
		return address
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok {
		return address
	}
	account, known := accountOf(remote, local.AddrPort())
	if !known || account == strconv.Itoa(os.Getuid()) {
		return address
	}
	return "account " + account
}
