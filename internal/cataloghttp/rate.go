package cataloghttp

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// rateLimits holds a token bucket for each key. The limits of a key override the defaults. They
// hold for all servers of the catalog together: each server has an equal share of the burst, and a
// share of the rate that depends on the demand at the others.
type rateLimits struct {
	rate  float64
	burst int
	store *catalog.Store

	mu    sync.Mutex
	byKey map[string]*bucket
}

type bucket struct {
	rate    float64 // of the key, over all servers
	burst   int     // over all servers
	limiter *rate.Limiter
	policy  []string // RateLimit-Policy header
}

// allow takes one token and sets the rate limit headers. Without a token it returns a TooMany
// fault; so it does for a background request if less than a quarter of the tokens is left.
func (s *rateLimits) allow(h http.Header, key catalog.Key, background bool, now time.Time) error {
	if s.rate == 0 && key.Rate == 0 {
		return nil
	}
	b := s.bucket(key)
	b.setShare(s.store.RateShare(key.ID, b.rate), s.store.Servers(), now)
	spare := !background || b.limiter.TokensAt(now) >= 1+float64(b.limiter.Burst())/4
	allowed := spare && b.limiter.AllowN(now, 1)
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
	err := fault.New(fault.TooMany, "this key is limited to %g requests per second; retry later", b.rate)
	return &httpkit.RetryLater{After: wait, Err: err}
}

// setShare sets this server's share of the key's limits.
func (b *bucket) setShare(limit float64, servers int, now time.Time) {
	if b.limiter.Limit() != rate.Limit(limit) {
		b.limiter.SetLimitAt(now, rate.Limit(limit))
	}
	if burst := max(1, b.burst/max(1, servers)); b.limiter.Burst() != burst {
		b.limiter.SetBurstAt(now, burst)
	}
}

func (s *rateLimits) bucket(key catalog.Key) *bucket {
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
	if b == nil || b.rate != limit || b.burst != burst {
		window := max(1, int(math.Ceil(float64(burst)/limit)))
		b = &bucket{
			rate: limit, burst: burst,
			limiter: rate.NewLimiter(rate.Limit(limit), max(1, burst/max(1, s.store.Servers()))),
			policy:  []string{`"default";q=` + strconv.Itoa(burst) + `;w=` + strconv.Itoa(window)},
		}
		if s.byKey == nil {
			s.byKey = make(map[string]*bucket)
		}
		s.byKey[key.ID] = b
	}
	return b
}
