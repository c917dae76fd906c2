package playerhttp

import (
	"net"
	"net/http"

	"waxwing/api/playerapi"
	"waxwing/internal/fault"
)

// identity lets a client check that this is the server that knows its token, before it sends the
// token.
func (s *server) identity(r *http.Request, in playerapi.IdentityRequest) (playerapi.Identity, error) {
	if otherLoopback(r) {
		return playerapi.Identity{}, fault.New(fault.Invalid, "the Host of this request must be the address of the server")
	}
	signature, err := s.cfg.Tokens.SignIdentity(in.Fingerprint, r.Host, in.Nonce)
	return playerapi.Identity{Signature: signature}, err
}

// otherLoopback reports whether the Host is a loopback address, but not the one that the client
// connected to. A program at that address could pass on the signature.
func otherLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok || !local.IP.IsLoopback() {
		return false
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return ip != nil && !ip.Equal(local.IP)
}
