package access

import (
	"math"
	"time"

	"waxwing/internal/fault"
)

// Token is a credential of the control API as it is stored: all but the secret.
type Token struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	Permissions Permissions `json:"permissions"`
	Origin      string      `json:"origin,omitempty"` // the one web origin that may use it from a browser
	Hash        Hash        `json:"hash"`
	CreatedAt   time.Time   `json:"created_at"`
	ExpiresAt   time.Time   `json:"expires_at,omitzero"`
	LastUsedAt  time.Time   `json:"last_used_at,omitzero"`
	RevokedAt   time.Time   `json:"revoked_at,omitzero"`
}

// Live reports whether the token opens anything at that moment.
func (t Token) Live(at time.Time) bool {
	return t.RevokedAt.IsZero() && (t.ExpiresAt.IsZero() || at.Before(t.ExpiresAt))
}

// NewToken is what the maker of a token decides.
type NewToken struct {
	Name        string
	Permissions Permissions
	Origin      string        // optional, as scheme://host[:port]
	Lifetime    time.Duration // optional; 0 is for ever
}

// checked returns n with its name trimmed and its origin in the form that browsers send.
func (n NewToken) normalized() (NewToken, error) {
	name, err := CleanName(n.Name)
	if err != nil {
		return n, err
	}
	n.Name = name
	if n.Permissions == 0 {
		return n, errNoPermission
	}
	if n.Lifetime < 0 {
		return n, fault.New(fault.Invalid, "a token cannot expire before it is made")
	}
	if n.Origin != "" {
		if n.Origin, err = CleanOrigin(n.Origin); err != nil {
			return n, err
		}
	}
	return n, nil
}

// ParseLifetime reads how many seconds a credential shall live; nil is for ever.
func ParseLifetime(seconds *int) (time.Duration, error) {
	if seconds == nil {
		return 0, nil
	}
	if *seconds < 1 || int64(*seconds) > math.MaxInt64/int64(time.Second) {
		return 0, fault.New(fault.Invalid, "expires_in must be a positive number of seconds")
	}
	return time.Duration(*seconds) * time.Second, nil
}
