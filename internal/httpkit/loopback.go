package httpkit

import (
	"net"
	"net/http"

	"waxwing/internal/fault"
)

// CheckLoopbackHost returns an error if the Host is a loopback address, but not the one that the
// client connected to. A program at that address could pass on a signature of this server.
func CheckLoopbackHost(r *http.Request) error {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok || !local.IP.IsLoopback() {
		return nil
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		return nil //nolint:nilerr // a name or an address without a port
	}
	if ip := net.ParseIP(host); ip != nil && !ip.Equal(local.IP) {
		return fault.New(fault.Invalid, "the Host of this request must be the address of the server")
	}
	return nil
}
