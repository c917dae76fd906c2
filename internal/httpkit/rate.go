package httpkit

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"waxwing/internal/fault"
)

// Rate is a limit of requests. The zero Rate is no limit.
type Rate struct {
	PerSecond float64
	Burst     int
}

// RateShares says how the limits of a key are shared by all servers of a catalog.
type RateShares interface {
	RateShare(id string, perSecond float64) float64
	Servers() int
}

// RateLimits holds a token bucket for each key. Limits hold for all servers of a catalog together:
// each server has an equal share of the burst, and a share of the rate that depends on the demand
// at the others.
type RateLimits struct {
	shares RateShares

	mu   sync.Mutex
	byID map[string]*bucket
}

type bucket struct {
	Rate    // over all servers
	limiter *rate.Limiter
	policy  []string // RateLimit-Policy header
}

// NewRateLimits returns limits for the keys of a catalog.
func NewRateLimits(shares RateShares) *RateLimits {
	return &RateLimits{shares: shares, byID: make(map[string]*bucket)}
}

// Allow takes one token and sets the rate limit headers. Without a token it returns a TooMany
// fault; so it does for a background request if less than a quarter of the tokens is left.
func (l *RateLimits) Allow(h http.Header, id string, limit Rate, background bool, now time.Time) error {
	if limit.PerSecond == 0 {
		return nil
	}
	b := l.bucket(id, limit, now)
	spare := !background || b.limiter.TokensAt(now) >= 1+float64(b.limiter.Burst())/4
	allowed := spare && b.limiter.AllowN(now, 1)
	left := b.setHeaders(h, now)
	if allowed {
		return nil
	}
	return b.refuse(left)
}

// Wait takes one token and waits until it is there. If that would take longer than patience, it
// returns a TooMany fault at once.
func (l *RateLimits) Wait(ctx context.Context, h http.Header, id string, limit Rate, patience time.Duration) error {
	if limit.PerSecond == 0 {
		return nil
	}
	now := time.Now()
	b := l.bucket(id, limit, now)
	token := b.limiter.ReserveN(now, 1)
	wait := token.DelayFrom(now)
	if wait > patience {
		token.CancelAt(now)
		return b.refuse(b.setHeaders(h, now))
	}
	b.setHeaders(h, now)
	if wait <= 0 {
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// setHeaders sets the rate limit headers and returns the tokens that are left.
func (b *bucket) setHeaders(h http.Header, now time.Time) (left float64) {
	left = b.limiter.TokensAt(now)
	full := (float64(b.limiter.Burst()) - left) / float64(b.limiter.Limit())
	value := make([]byte, 0, 32)
	value = append(value, `"default";r=`...)
	value = strconv.AppendInt(value, int64(max(left, 0)), 10)
	value = append(value, `;t=`...)
	value = strconv.AppendInt(value, int64(math.Ceil(full)), 10)
	h["RateLimit"] = []string{string(value)}
	h["RateLimit-Policy"] = b.policy
	return left
}

func (b *bucket) refuse(left float64) error {
	wait := time.Duration((1 - left) / float64(b.limiter.Limit()) * float64(time.Second))
	err := fault.New(fault.TooMany, "this key is limited to %g requests per second; retry later", b.PerSecond)
	return &RetryLater{After: wait, Err: err}
}

// setShare sets this server's share of the key's limits.
func (b *bucket) setShare(limit float64, servers int, now time.Time) {
	if b.limiter.Limit() != rate.Limit(limit) {
		b.limiter.SetLimitAt(now, rate.Limit(limit))
	}
	if burst := max(1, b.Burst/max(1, servers)); b.limiter.Burst() != burst {
		b.limiter.SetBurstAt(now, burst)
	}
}

// bucket returns the bucket of a key with this server's share.
func (l *RateLimits) bucket(id string, limit Rate, now time.Time) *bucket {
	l.mu.Lock()
	b := l.byID[id]
	if b == nil || b.Rate != limit {
		window := max(1, int(math.Ceil(float64(limit.Burst)/limit.PerSecond)))
		b = &bucket{
			Rate: limit, policy: []string{`"default";q=` + strconv.Itoa(limit.Burst) + `;w=` + strconv.Itoa(window)},
			limiter: rate.NewLimiter(rate.Limit(limit.PerSecond), max(1, limit.Burst/max(1, l.shares.Servers()))),
		}
		l.byID[id] = b
	}
	l.mu.Unlock()
	b.setShare(l.shares.RateShare(id, b.PerSecond), l.shares.Servers(), now)
	return b
}
