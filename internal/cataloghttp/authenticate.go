package cataloghttp

import (
	"context"
	"net/http"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/audit"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// authenticate finds out who asks by the key in the header x-api-key, and counts the request
// against the key's rate.
func (s *server) authenticate(w http.ResponseWriter, r *http.Request) (httpkit.Caller, error) {
	presented := r.Header["X-Api-Key"]
	if len(presented) == 0 {
		return httpkit.Caller{}, httpkit.ErrNoCredential
	}
	if len(presented) != 1 || !access.Check(access.KeyPrefix, presented[0]) {
		return httpkit.Caller{}, fault.New(fault.Unauthenticated, "this is not a valid API key")
	}
	// What follows rests on what this server remembers: keys, their rates, cached answers.
	if err := s.store.Current(r.Context()); err != nil {
		return httpkit.Caller{}, err
	}
	key, err := s.store.KeyByHash(r.Context(), access.HashOf(presented[0]).String())
	if err != nil {
		return httpkit.Caller{ID: key.ID, Name: key.Name, Refused: refusalReason(key)}, err
	}
	permissions, err := access.ParsePermissions(key.Permissions)
	if err != nil {
		return httpkit.Caller{}, err
	}
	if err := s.rates.allow(w.Header(), key, time.Now()); err != nil {
		return httpkit.Caller{ID: key.ID, Name: key.Name}, err
	}
	return httpkit.Caller{ID: key.ID, Name: key.Name, Permissions: permissions, Life: key.Life(), Detail: key.Viewer()}, nil
}

// refusalReason is why a key that was refused does not count; "" for none that we know.
func refusalReason(k catalog.Key) audit.Reason {
	switch {
	case k.ID == "":
		return ""
	case !k.RevokedAt.IsZero():
		return audit.Revoked
	}
	return audit.Expired
}

// viewer is the owner of the key that a request came with.
func viewer(ctx context.Context) catalog.Viewer {
	v, _ := httpkit.CallerOf(ctx).Detail.(catalog.Viewer)
	return v
}
