package access

import (
	"math"
	"time"

	"waxwing/internal/fault"
)

// Token is a credential of the control API as it is stored, without its secret.
type Token struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	Permissions Permissions `json:"permissions"`
	Origin      string      `json:"origin,omitempty"` // the only web origin that may use it from a browser
	Hash        Hash        `json:"hash"`
	CreatedAt   time.Time   `json:"created_at"`
	ExpiresAt   time.Time   `json:"expires_at,omitzero"`
	IdleSeconds int         `json:"idle_expires_in,omitempty"` // it expires after this time without use
	LastUsedAt  time.Time   `json:"last_used_at,omitzero"`
	RevokedAt   time.Time   `json:"revoked_at,omitzero"`
}

// Live reports whether the token is neither revoked nor expired at that time.
func (t Token) Live(at time.Time) bool {
	end := t.EndsAt()
	return t.RevokedAt.IsZero() && (end.IsZero() || at.Before(end))
}

// Idle returns after which time without use the token expires; 0: it does not.
func (t Token) Idle() time.Duration { return time.Duration(t.IdleSeconds) * time.Second }

// EndsAt returns when the token expires if it is not used any more; zero: never.
func (t Token) EndsAt() time.Time {
	if t.IdleSeconds == 0 {
		return t.ExpiresAt
	}
	last := t.CreatedAt
	if t.LastUsedAt.After(last) {
		last = t.LastUsedAt
	}
	return Limit{ExpiresAt: t.ExpiresAt}.Cut(last.Add(t.Idle()))
}

// NewToken holds the parameters of Create.
type NewToken struct {
	Name        string
	Permissions Permissions
	Origin      string        // optional, as scheme://host[:port]
	Lifetime    time.Duration // optional; 0 never expires
	ExpiresAt   time.Time     // optional, in place of Lifetime
	Idle        time.Duration // optional: expires after this time without use
}

// normalized validates n and returns it with its name and origin in canonical form.
func (n NewToken) normalized() (NewToken, error) {
	name, err := CleanName(n.Name)
	if err != nil {
		return n, err
	}
	n.Name = name
	if n.Permissions == 0 {
		return n, noPermission(KeyPermissions | Streams)
	}
	if n.Lifetime < 0 {
		return n, fault.New(fault.Invalid, "the lifetime of a token cannot be negative")
	}
	if n.Origin != "" {
		if n.Origin, err = CleanOrigin(n.Origin); err != nil {
			return n, err
		}
	}
	return n, nil
}

// minIdle is longer than the time for which uses are not saved.
const minIdle = time.Hour

// ParseIdle converts the idle_expires_in of a request; nil is a credential that need not be used.
func ParseIdle(seconds *int) (time.Duration, error) {
	if seconds == nil {
		return 0, nil
	}
	if idle, err := ParseLifetime(seconds); err == nil && idle >= minIdle {
		return idle, nil
	}
	return 0, fault.New(fault.Invalid, "idle_expires_in must be a number of seconds, %d or more", minIdle/time.Second)
}

// ParseLifetime converts the expires_in of a request; nil is a credential that never expires.
func ParseLifetime(seconds *int) (time.Duration, error) {
	if seconds == nil {
		return 0, nil
	}
	if *seconds < 1 || int64(*seconds) > math.MaxInt64/int64(time.Second) {
		return 0, fault.New(fault.Invalid, "expires_in must be a positive number of seconds")
	}
	return time.Duration(*seconds) * time.Second, nil
}
