package cataloghttp

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

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
	key, err := s.store.KeyByHash(r.Context(), access.HashOf(presented[0]).String())
	if err != nil {
		return httpkit.Caller{ID: key.ID, Name: key.Name, Refused: deadBy(key)}, err
	}
	permissions, err := access.ParsePermissions(key.Permissions)
	if err != nil {
		return httpkit.Caller{}, err
	}
	if err := s.rates.count(w.Header(), key, time.Now()); err != nil {
		return httpkit.Caller{ID: key.ID, Name: key.Name}, err
	}
	return httpkit.Caller{ID: key.ID, Name: key.Name, Permissions: permissions, Life: key.Life(), Detail: key.Viewer()}, nil
}

// deadBy is why a key that was refused does not count; "" for none that we know.
func deadBy(k catalog.Key) audit.Reason {
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

// rates keeps a bucket of tokens for each key. A key's own numbers win over the defaults.
type rates struct {
	rate  float64
	burst int

	mu    sync.Mutex
	byKey map[string]*bucket
}

type bucket struct {
	limiter *rate.Limiter
	policy  []string // the header of this bucket
}

// count takes one token, tells the client what is left, and refuses when there is none.
func (s *rates) count(h http.Header, key catalog.Key, now time.Time) error {
	if s.rate == 0 && key.Rate == 0 {
		return nil
	}
	b := s.bucket(key)
	allowed := b.limiter.AllowN(now, 1)
	left := b.limiter.TokensAt(now)
	full := (float64(b.limiter.Burst()) - left) / float64(b.limiter.Limit())
	value := make([]byte, 0, 32)
	value = append(value, `"default";r=`...)
	value = strconv.AppendInt(value, int64(max(left, 0)), 10)
	value = append(value, `;t=`...)
	value = strconv.AppendInt(value, int64(math.Ceil(full)), 10)
	h["RateLimit"] = []string{string(value)}
	h["RateLimit-Policy"] = b.policy
	if allowed {
		return nil
	}
	wait := time.Duration((1 - left) / float64(b.limiter.Limit()) * float64(time.Second))
	return &httpkit.RetryLater{After: wait, Err: fault.New(fault.TooMany, "this key may ask %g times a second; wait a moment", float64(b.limiter.Limit()))}
}

func (s *rates) bucket(key catalog.Key) *bucket {
	limit, burst := s.rate, s.burst
	if key.Rate > 0 {
		limit, burst = key.Rate, max(1, int(4*key.Rate))
	}
	if key.Burst > 0 {
		burst = key.Burst
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.byKey[key.ID]
	if b == nil || b.limiter.Limit() != rate.Limit(limit) || b.limiter.Burst() != burst {
		window := max(1, int(math.Ceil(float64(burst)/limit)))
		b = &bucket{
			limiter: rate.NewLimiter(rate.Limit(limit), burst),
			policy:  []string{`"default";q=` + strconv.Itoa(burst) + `;w=` + strconv.Itoa(window)},
		}
		if s.byKey == nil {
			s.byKey = make(map[string]*bucket)
		}
		s.byKey[key.ID] = b
	}
	return b
}
