package cataloghttp

import (
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
	out := catalogapi.KeyList{Keys: []catalogapi.Key{}}
	for _, k := range list {
		out.Keys = append(out.Keys, wireKey(k, httpkit.CallerOf(r.Context()).ID))
	}
	return out, err
}

// createKey makes a key of the same user that may no more, lives no longer and is no faster than
// the one that asks: whoever loses a key must not find that it has left others behind that outdo it.
func (s *server) createKey(r *http.Request, in catalogapi.KeyRequest) (catalogapi.KeyWithSecret, error) {
	own, err := s.callerKey(r)
	if err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	name, err := access.CleanName(in.Name)
	if err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	permissions, err := access.ParsePermissions(in.Permissions)
	if err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	lifetime, err := access.ParseLifetime(in.ExpiresIn)
	if err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	wanted := catalog.NewKey{Name: name, Permissions: permissions.Words()}
	if lifetime > 0 {
		wanted.ExpiresAt = time.Now().Add(lifetime)
	}
	if err := s.checkNotStronger(own, catalog.Key{Permissions: wanted.Permissions, ExpiresAt: wanted.ExpiresAt, Follows: own.Follows}); err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	if !own.Follows {
		wanted.Owner = own.Owner.Username
	}
	if s.hasHigherRate(catalog.Key{}, own) {
		wanted.Rate, wanted.Burst = own.Rate, own.Burst
	}
	secret, hash := access.Mint(access.KeyPrefix)
	wanted.Hash = hash.String()
	made, err := s.store.CreateKey(r.Context(), wanted)
	if err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	httpkit.Happened(r.Context(), audit.KeyCreated, made.ID, made.Name)
	return catalogapi.KeyWithSecret{Secret: secret, Key: wireKey(made, own.ID)}, nil
}

func (s *server) revokeKey(r *http.Request, _ httpkit.None) (catalogapi.OK, error) {
	own, k, err := s.targetKey(r)
	if err != nil {
		return catalogapi.OK{}, err
	}
	if err := checkPermissions(own, k); err != nil {
		return catalogapi.OK{}, err
	}
	if err := s.store.RevokeKey(r.Context(), k.ID); err != nil {
		return catalogapi.OK{}, err
	}
	httpkit.Happened(r.Context(), audit.KeyRevoked, k.ID, k.Name)
	return catalogapi.OK{OK: true}, nil
}

// rotateKey gives a key a new secret. The asker learns it, so the key must be one that the asker
// could have made.
func (s *server) rotateKey(r *http.Request, _ httpkit.None) (catalogapi.KeyWithSecret, error) {
	own, k, err := s.targetKey(r)
	if err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	if err := s.checkNotStronger(own, k); err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	if s.hasHigherRate(k, own) {
		return catalogapi.KeyWithSecret{}, fault.New(fault.Forbidden, "that key may ask more often than yours")
	}
	secret, hash := access.Mint(access.KeyPrefix)
	if err := s.store.RotateKey(r.Context(), k.ID, hash.String()); err != nil {
		return catalogapi.KeyWithSecret{}, err
	}
	httpkit.Happened(r.Context(), audit.KeyRotated, k.ID, k.Name)
	k, err = s.store.KeyByID(r.Context(), k.ID)
	return catalogapi.KeyWithSecret{Secret: secret, Key: wireKey(k, own.ID)}, err
}

// callerKey is the key that a request came with.
func (s *server) callerKey(r *http.Request) (catalog.Key, error) {
	return s.store.KeyByID(r.Context(), httpkit.CallerOf(r.Context()).ID)
}

// targetKey returns the asker's own key and the one that the path names. The keys of another user,
// and dead ones, are not there.
func (s *server) targetKey(r *http.Request) (own, named catalog.Key, err error) {
	if own, err = s.callerKey(r); err != nil {
		return own, named, err
	}
	id := r.PathValue("key_id")
	named, err = s.store.KeyByID(r.Context(), id)
	if err == nil && (named.Owner.ID != own.Owner.ID || !named.Live(time.Now())) {
		err = fault.New(fault.NotFound, "there is no key %.40q", id)
	}
	return own, named, err
}

// outdoes refuses a key that could more than own, which asks for it.
func (s *server) checkNotStronger(own, k catalog.Key) error {
	if err := checkPermissions(own, k); err != nil {
		return err
	}
	if !own.ExpiresAt.IsZero() && (k.ExpiresAt.IsZero() || k.ExpiresAt.After(own.ExpiresAt)) {
		return fault.New(fault.Forbidden, "your key ends at %s, so it cannot make one that lives longer", own.ExpiresAt.UTC().Format(time.RFC3339))
	}
	return nil
}

// checkPermissions refuses a key that opens what own does not: another permission, or, where it belongs
// to whoever is the active user, things of users to come.
func checkPermissions(own, k catalog.Key) error {
	has, err := access.ParsePermissions(own.Permissions)
	if err != nil {
		return err
	}
	wants, err := access.ParsePermissions(k.Permissions)
	if err != nil {
		return err
	}
	if !has.Has(wants) {
		return fault.New(fault.Forbidden, "a key with %s is more than yours, which has only %s", wants, has)
	}
	if k.Follows && !own.Follows {
		return fault.New(fault.Forbidden, "that key belongs to whoever is the active user; yours is %s’s alone", own.Owner.Username)
	}
	return nil
}

// faster reports whether k may ask more often than own.
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
		ID: k.ID, Name: k.Name, Owner: catalogapi.UserRef{ID: k.Owner.ID, Username: k.Owner.Username, Name: k.Owner.Name},
		Permissions: k.Permissions, CreatedAt: timestamp.At(k.CreatedAt), ExpiresAt: timestamp.Known(k.ExpiresAt), LastUsedAt: timestamp.Known(k.LastUsedAt),
		RotatedAt: timestamp.Known(k.RotatedAt), Current: k.ID == caller,
	}
}
