package cataloghttp

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/audit"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// authenticate returns the caller by the key in the header x-api-key, and counts the request
// against the rate limit of the key.
func (s *server) authenticate(w http.ResponseWriter, r *http.Request) (httpkit.Caller, error) {
	presented := r.Header["X-Api-Key"]
	if len(presented) == 0 {
		return httpkit.Caller{}, httpkit.ErrNoCredential
	}
	if len(presented) != 1 || !access.Check(access.KeyPrefix, presented[0]) {
		return httpkit.Caller{}, fault.New(fault.Unauthenticated, "invalid API key; send one key in the header x-api-key")
	}
	// What follows uses cached state: keys, their rates, responses.
	if err := s.store.Current(r.Context()); err != nil {
		return httpkit.Caller{}, err
	}
	key, err := s.store.KeyByHash(r.Context(), access.HashOf(presented[0]).String())
	if err != nil {
		return httpkit.Caller{ID: key.ID, Name: key.Name, Refused: refusalReason(key)}, err
	}
	permissions, err := access.ParseKeyPermissions(key.Permissions)
	if err != nil {
		return httpkit.Caller{}, err
	}
	if err := s.limit(w.Header(), r, key); err != nil {
		return httpkit.Caller{ID: key.ID, Name: key.Name}, err
	}
	return httpkit.Caller{
		ID: key.ID, Name: key.Name, Permissions: permissions, ExpiresAt: expiry(r, key), Context: key.Context(),
		Detail: key.Viewer(), Background: isBackground(r),
	}, nil
}

// limit counts a request against the rate limit of its key. Covers do not count: a page shows many,
// and they need no key.
func (s *server) limit(h http.Header, r *http.Request, key catalog.Key) error {
	if strings.HasPrefix(r.URL.Path, coverPath) {
		return nil
	}
	perSecond, burst := key.Limits(s.cfg.Rate, s.cfg.Burst)
	return s.cfg.Limits.Allow(h, key.ID, httpkit.Rate{PerSecond: perSecond, Burst: burst}, isBackground(r), time.Now())
}

// isBackground reports whether a request says that it is less urgent than others (RFC 9218). A
// player says so of the requests that it passes on. They leave a quarter of the key's limits to the
// others.
func isBackground(r *http.Request) bool {
	_, urgency, ok := strings.Cut(r.Header.Get("Priority"), "u=")
	return ok && urgency != "" && urgency[0] > '3' && urgency[0] <= '7'
}

// expiry returns when the access of the caller ends: with its key or, if a player passes on the
// request of somebody whose token ends earlier, with that token.
func expiry(r *http.Request, key catalog.Key) time.Time {
	left, err := strconv.ParseInt(r.Header.Get(httpkit.LifetimeHeader), 10, 64)
	if err != nil || left < 0 || left > math.MaxInt64/int64(time.Millisecond) {
		return key.ExpiresAt
	}
	return access.Limit{ExpiresAt: key.ExpiresAt}.Cut(time.Now().Add(time.Duration(left) * time.Millisecond))
}

// refusalReason returns why a known key was refused, or "" for an unknown one.
func refusalReason(k catalog.Key) audit.Reason {
	switch {
	case k.ID == "":
		return ""
	case !k.RevokedAt.IsZero():
		return audit.Revoked
	}
	return audit.Expired
}

// viewer returns the owner of the request's key.
func viewer(ctx context.Context) catalog.Viewer {
	v, _ := httpkit.CallerOf(ctx).Detail.(catalog.Viewer)
	return v
}
