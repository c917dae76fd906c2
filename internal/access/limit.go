package access

import (
	"time"

	"waxwing/internal/fault"
)

// Limit bounds what the holder of a credential may create, approve or rotate: no permission that
// the credential lacks, and nothing that is valid longer.
type Limit struct {
	Permissions Permissions
	ExpiresAt   time.Time // zero: never
	Idle        time.Duration
}

// CutIdle returns after which time without use a new credential expires: no later than that of the
// limit.
func (l Limit) CutIdle(idle time.Duration) time.Duration {
	if l.Idle > 0 && (idle == 0 || idle > l.Idle) {
		return l.Idle
	}
	return idle
}

// Grant returns the expiry of a new credential; zero means that it never expires. Without a
// lifetime it expires with the limit. More than the limit is a Forbidden fault.
func (l Limit) Grant(permissions Permissions, lifetime time.Duration, now time.Time) (expires time.Time, err error) {
	if lifetime == 0 {
		return l.ExpiresAt, l.CheckPermissions(permissions)
	}
	expires = now.Add(lifetime)
	return expires, l.Check(permissions, expires)
}

// Check refuses a credential that has more permissions or expires later.
func (l Limit) Check(permissions Permissions, expires time.Time) error {
	if err := l.CheckPermissions(permissions); err != nil {
		return err
	}
	if l.Cut(expires).Equal(expires) {
		return nil
	}
	return fault.WithCode(fault.Forbidden, fault.MissingPermission,
		"your credential expires at %s; the other one must not expire later",
		l.ExpiresAt.UTC().Format(time.RFC3339))
}

// CheckPermissions refuses permissions that the limit lacks.
func (l Limit) CheckPermissions(permissions Permissions) error {
	if l.Permissions.Has(permissions) {
		return nil
	}
	return fault.WithCode(fault.Forbidden, fault.MissingPermission,
		"a credential with the permissions %s is stronger than yours, which has only %s; use a stronger one",
		permissions, l.Permissions)
}

// Cut returns expires, or the expiry of the limit if that is earlier.
func (l Limit) Cut(expires time.Time) time.Time {
	if !l.ExpiresAt.IsZero() && (expires.IsZero() || expires.After(l.ExpiresAt)) {
		return l.ExpiresAt
	}
	return expires
}
