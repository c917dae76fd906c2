package playerhttp

import (
	"net/http"

	"waxwing/api/playerapi"
	"waxwing/internal/httpkit"
)

// identity lets a client check that this is the server that knows its token, before it sends the
// token.
func (s *server) identity(r *http.Request, in playerapi.IdentityRequest) (playerapi.Identity, error) {
	if err := httpkit.CheckLoopbackHost(r); err != nil {
		return playerapi.Identity{}, err
	}
	signature, err := s.cfg.Tokens.SignIdentity(in.Fingerprint, r.Host, in.Nonce)
	return playerapi.Identity{Signature: signature}, err
}
