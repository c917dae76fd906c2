package cataloghttp

import (
	"errors"
	"math"
	"net/http"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/api/timestamp"
	"waxwing/internal/access"
	"waxwing/internal/audit"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

func (s *server) keys(r *http.Request, _ httpkit.None) (catalogapi.KeyList, error) {
	list, err := s.store.KeysOf(r.Context(), viewer(r.Context()))
	out := catalogapi.KeyList{Keys: []catalogapi.Key{}, Apps: s.cfg.Apps}
	for _, k := range list {
		out.Keys = append(out.Keys, wireKey(k, httpkit.CallerOf(r.Context()).ID))
	}
	return out, err
}

// currentKey returns the key of the request, so that a page knows what it may do.
func (s *server) currentKey(r *http.Request, _ httpkit.None) (catalogapi.KeyReply, error) {
	own, err := s.callerKey(r)
	return catalogapi.KeyReply{Key: wireKey(own, own.ID)}, err
}

// createKey creates a key of the same user that is not stronger than the caller's: within its
// limit, with no higher rate. A stolen key must not leave stronger keys behind.
func (s *server) createKey(r *http.Request, in catalogapi.KeyRequest) (catalogapi.KeyWithSecret, error) {
	own, err := s.callerKey(r)
	if err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	name, err := access.CleanName(in.Name)
	if err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	permissions, err := access.ParseKeyPermissions(in.Permissions)
	if err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	lifetime, err := access.ParseLifetime(in.ExpiresIn)
	if err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	expires, err := httpkit.CallerOf(r.Context()).Limit().Grant(permissions, lifetime, time.Now())
	if err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	n := catalog.NewKey{Name: name, Permissions: permissions.Words(), ExpiresAt: expires}
	if !own.Follows {
		n.Owner = own.Owner.Username
	}
	if s.hasHigherRate(catalog.Key{}, own) {
		n.Rate, n.Burst = own.Rate, own.Burst
	}
	app := in.App != nil && *in.App
	var secret string
	secret, n.Hash, n.AppState = access.MintKey(app)
	created, err := s.store.CreateKey(r.Context(), n)
	if err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	httpkit.RecordEvent(r.Context(), audit.KeyCreated, created.ID, created.Name)
	return s.withSecret(created, own, secret)
}

func (s *server) revokeKey(r *http.Request, _ httpkit.None) (catalogapi.OK, error) {
	own, k, err := s.targetKey(r)
	if err != nil {
		return catalogapi.OK{}, err
	}
	permissions, err := managedPermissions(own, k)
	if err != nil {
		return catalogapi.OK{}, err
	}
	if err := httpkit.CallerOf(r.Context()).Limit().CheckPermissions(permissions); err != nil {
		return catalogapi.OK{}, err
	}
	err = s.store.RevokeKey(r.Context(), k.ID)
	if err == nil || errors.Is(err, catalog.ErrNotSaved) {
		httpkit.RecordEvent(r.Context(), audit.KeyRevoked, k.ID, k.Name)
	}
	return catalogapi.OK{OK: true}, err
}

// rotateKey replaces the secret of a key. The caller learns the new one, so that the key must not
// be stronger than the caller's.
func (s *server) rotateKey(r *http.Request, _ httpkit.None) (catalogapi.KeyWithSecret, error) {
	own, k, err := s.targetKey(r)
	if err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	permissions, err := managedPermissions(own, k)
	if err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	if err := httpkit.CallerOf(r.Context()).Limit().Check(permissions, k.ExpiresAt); err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	if s.hasHigherRate(k, own) {
		return catalogapi.KeyWithSecret{}, fault.New(fault.Forbidden,
			"that key has a higher rate limit than yours; use a stronger key")
	}
	secret, hash, state := access.MintKey(k.App)
	if err := s.store.RotateKey(r.Context(), k.ID, hash, state); err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	httpkit.RecordEvent(r.Context(), audit.KeyRotated, k.ID, k.Name)
	if k, err = s.store.KeyByID(r.Context(), k.ID); err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	return s.withSecret(k, own, secret)
}

// callerKey returns the request's key.
func (s *server) callerKey(r *http.Request) (catalog.Key, error) {
	return s.store.KeyByID(r.Context(), httpkit.CallerOf(r.Context()).ID)
}

// targetKey returns the caller's key and the key in the path. Keys of other users, and revoked or
// expired ones, are not found; the key of this server's player cannot be changed.
func (s *server) targetKey(r *http.Request) (own, target catalog.Key, err error) {
	if own, err = s.callerKey(r); err != nil {
		return own, target, err
	}
	id := r.PathValue("key_id")
	target, err = s.store.KeyByID(r.Context(), id)
	if err == nil && (target.Owner.ID != own.Owner.ID || !target.Live(time.Now())) {
		err = fault.New(fault.NotFound, "there is no key %.40q", id)
	}
	if err == nil && s.cfg.PlayerKey != nil && target.ID == s.cfg.PlayerKey() {
		err = fault.New(fault.Conflict, "the player of this server uses that key; to replace it, stop the server, run "+
			"waxwing key revoke %s and start it again", target.ID)
	}
	return own, target, err
}

// managedPermissions returns the permissions of k. It refuses a key that follows the active user if
// own does not: it would give access to the data of later users.
func managedPermissions(own, k catalog.Key) (access.Permissions, error) {
	if k.Follows && !own.Follows {
		return 0, fault.New(fault.Forbidden,
			"that key belongs to the active user, yours only to %s; use a key of the active user", own.Owner.Username)
	}
	return access.ParseKeyPermissions(k.Permissions)
}

// hasHigherRate reports whether k has a higher rate limit than own.
func (s *server) hasHigherRate(k, own catalog.Key) bool {
	rate := func(k catalog.Key) float64 {
		switch {
		case k.Rate > 0:
			return k.Rate
		case s.cfg.Rate > 0:
			return s.cfg.Rate
		}
		return math.Inf(1)
	}
	return rate(k) > rate(own)
}

func wireKey(k catalog.Key, caller string) catalogapi.Key {
	return catalogapi.Key{
		ID: k.ID, Name: k.Name, Permissions: k.Permissions, App: k.App, Current: k.ID == caller,
		Owner:     catalogapi.UserRef{ID: k.Owner.ID, Username: k.Owner.Username, Name: k.Owner.Name},
		CreatedAt: timestamp.At(k.CreatedAt), ExpiresAt: timestamp.Known(k.ExpiresAt),
		LastUsedAt: timestamp.Known(k.LastUsedAt), RotatedAt: timestamp.Known(k.RotatedAt),
	}
}
