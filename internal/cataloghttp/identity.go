package cataloghttp

import (
	"net/http"

	"waxwing/api/catalogapi"
	"waxwing/internal/access"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// identity lets a client check that this is the server that knows its key, before it sends the key.
// A revoked or expired key counts too: its holder learns the state of the key from this server
// alone.
func (s *server) identity(r *http.Request, in catalogapi.IdentityRequest) (catalogapi.Identity, error) {
	if err := httpkit.CheckLoopbackHost(r); err != nil {
		return catalogapi.Identity{}, err
	}
	if err := access.CheckNonce(in.Nonce); err != nil {
		return catalogapi.Identity{}, err
	}
	text, err := s.store.KeyHash(r.Context(), func(text string) bool {
		var hash access.Hash
		return hash.UnmarshalText([]byte(text)) == nil && hash.Fingerprint() == in.Fingerprint
	})
	if err != nil {
		return catalogapi.Identity{}, err
	}
	if text == "" {
		return catalogapi.Identity{}, fault.New(fault.Unauthenticated, "no key of this catalog has that fingerprint")
	}
	var hash access.Hash
	if err := hash.UnmarshalText([]byte(text)); err != nil {
		return catalogapi.Identity{}, err
	}
	return catalogapi.Identity{Signature: hash.SignIdentity(r.Host, in.Nonce)}, nil
}
