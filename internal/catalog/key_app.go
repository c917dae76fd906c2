package catalog

import (
	"context"
	"crypto/md5" //nolint:gosec // the Subsonic API prescribes it
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"waxwing/internal/fault"
)

// MaxAppKeys is how many valid keys of apps one user can have: a login compares all of them.
const MaxAppKeys = 32

// checkAppKey refuses a key that no app may have.
func (t *tx) checkAppKey(ctx context.Context, n NewKey, owner int64) error {
	if len(n.AppState) != md5.Size {
		return fault.New(fault.Invalid, "the state of an app's key must have %d bytes", md5.Size)
	}
	other := func(permission string) bool { return permission != "read" && permission != "write" }
	if !slices.Contains(n.Permissions, "read") || slices.ContainsFunc(n.Permissions, other) {
		return fault.New(fault.Invalid, "an app needs the permission read, and may have write, but no other")
	}
	var live int
	err := t.QueryRowContext(ctx, `SELECT count(*) FROM keys WHERE owner = $1 AND md5_state IS NOT NULL
		AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`, owner, t.now).Scan(&live)
	if err != nil {
		return fmt.Errorf("count the apps of a user: %w", err)
	}
	if live >= MaxAppKeys {
		return fault.New(fault.Conflict, "a user can have %d apps; revoke the key of one that is not used any more",
			MaxAppKeys)
	}
	return nil
}

// appKeys caches the keys of apps by the name of their user.
type appKeys struct {
	mu      sync.Mutex
	known   bool
	version int64
	read    time.Time
	byUser  map[string][]appKey
}

// appKeysAge is how old the cached keys are at most when a login is refused: another process may
// have created the key a moment ago. Guessing costs the database little.
const appKeysAge = 50 * time.Millisecond

type appKey struct {
	hash  string
	state [md5.Size]byte
}

// AppKey returns the valid key of a user's app for which matches reports true, and records its use,
// as KeyByHash does. matches is called equally often whether or not there is such a user.
func (s *Store) AppKey(ctx context.Context, username string, matches func(state [md5.Size]byte) bool) (Key, error) {
	find := func(newest bool) (hash string, err error) {
		byUser, err := s.appKeys(ctx, newest)
		keys := byUser[strings.ToLower(username)]
		for i := range max(MaxAppKeys, len(keys)) {
			var k appKey
			if i < len(keys) {
				k = keys[i]
			}
			if matches(k.state) && k.hash != "" {
				hash = k.hash
			}
		}
		return hash, err
	}
	hash, err := find(false)
	if err == nil && hash == "" {
		hash, err = find(true)
	}
	if err != nil {
		return Key{}, s.d.explain(err)
	}
	if hash == "" {
		return Key{}, fault.New(fault.Unauthenticated, "this user has no app with that secret")
	}
	return s.KeyByHash(ctx, hash)
}

// appKeys returns the keys of apps that are not revoked, reading each version of the keys once, or
// the newest ones.
func (s *Store) appKeys(ctx context.Context, newest bool) (map[string][]appKey, error) {
	version := s.View().keys
	a := &s.keys.apps
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known && a.version >= version && (!newest || time.Since(a.read) < appKeysAge) {
		return a.byUser, nil
	}
	begun := time.Now()
	byUser := make(map[string][]appKey)
	_, err := collect(ctx, s.read, "list the keys of apps", func(rows *sql.Rows) (none struct{}, err error) {
		var username, hash string
		var state []byte
		if err := rows.Scan(&username, &hash, &state); err != nil {
			return none, err
		}
		if len(state) == md5.Size {
			byUser[username] = append(byUser[username], appKey{hash, [md5.Size]byte(state)})
		}
		return none, nil
	}, `SELECT u.username, k.hash, k.md5_state FROM `+keyTables+` WHERE k.md5_state IS NOT NULL AND k.revoked_at IS NULL
		ORDER BY k.num`)
	if err != nil {
		return nil, err
	}
	a.known, a.version, a.read, a.byUser = true, version, begun, byUser
	return byUser, nil
}
