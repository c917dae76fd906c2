package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"waxwing/internal/fault"
	"waxwing/internal/words"
)

// Key is a credential of the catalog API. Only the hash of its secret is stored.
type Key struct {
	ID          string
	Name        string
	Owner       UserRef
	Follows     bool     // it belongs to the active user, currently Owner
	Permissions []string // words: read, write, keys
	App         bool     // of an app that speaks the Subsonic API; such a key has no permission keys
	Rate        float64  // requests a second; 0: the server's default
	Burst       int      // 0: the server's default
	CreatedAt   time.Time
	ExpiresAt   time.Time // zero: never
	LastUsedAt  time.Time // zero: never; stored by the minute
	RotatedAt   time.Time // zero: never
	RevokedAt   time.Time // zero: not revoked

	owner int64
	ctx   context.Context
}

// UserRef is a user inside another object.
type UserRef struct {
	ID       string
	Username string
	Name     string
}

// Viewer returns the key's owner as a viewer.
func (k Key) Viewer() Viewer { return Viewer{k.owner} }

// Live reports whether the key is valid at a time.
func (k Key) Live(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// Limits returns the rate limit of the key: its own, or the given one.
func (k Key) Limits(perSecond float64, burst int) (float64, int) {
	if k.Rate > 0 {
		perSecond, burst = k.Rate, max(1, int(4*k.Rate))
	}
	if k.Burst > 0 {
		burst = k.Burst
	}
	return perSecond, burst
}

const keyColumns = `k.id, k.name, u.id, u.username, u.name, u.num, k.owner IS NULL, k.permissions, k.rate, k.burst,
	k.created_at, k.expires_at, k.last_used_at, k.rotated_at, k.revoked_at, k.md5_state IS NOT NULL`

// keyTables joins a key with its owner, which is the active user if the key has none.
const keyTables = `keys k JOIN users u ON u.num = coalesce(k.owner,
	(SELECT x.num FROM users x JOIN settings y ON y.value = x.username WHERE y.name = 'active_user'))`

func scanKey(rows *sql.Rows) (Key, error) {
	var k Key
	var permissions string
	var rate sql.NullFloat64
	var burst, expires, used, rotated, revoked sql.NullInt64
	var created int64
	err := rows.Scan(&k.ID, &k.Name, &k.Owner.ID, &k.Owner.Username, &k.Owner.Name, &k.owner, &k.Follows, &permissions,
		&rate, &burst, &created, &expires, &used, &rotated, &revoked, &k.App)
	k.Permissions = strings.Fields(permissions)
	k.Rate, k.Burst = rate.Float64, int(burst.Int64)
	k.CreatedAt = time.UnixMilli(created)
	k.ExpiresAt, k.LastUsedAt, k.RotatedAt, k.RevokedAt = timeFrom(expires), timeFrom(used), timeFrom(rotated),
		timeFrom(revoked)
	return k, err
}

func timeFrom(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64)
}

// NewKey describes a key to create. Hash is the lower-case hex SHA-256 of its secret, which the
// caller generates and displays once.
type NewKey struct {
	Name        string
	Hash        string
	Owner       string // username; empty: the active user at the time of use
	Permissions []string
	Rate        float64
	Burst       int
	ExpiresAt   time.Time
	// AppState makes it the key of an app; see the column md5_state. Nil: an ordinary key.
	AppState []byte
}

// CreateKey creates a key.
func (s *Store) CreateKey(ctx context.Context, n NewKey) (Key, error) {
	name := words.Clean(n.Name, 64)
	if name == "" || len(n.Permissions) == 0 || len(n.Hash) != 64 {
		return Key{}, fault.New(fault.Invalid, "a key needs a name and at least one permission")
	}
	if n.Rate < 0 || n.Burst < 0 {
		return Key{}, fault.New(fault.Invalid, "a rate limit must not be negative")
	}
	owner, err := s.keyOwner(ctx, n)
	if err != nil {
		return Key{}, err
	}
	id := newID(keyPrefix)
	var expires any
	if !n.ExpiresAt.IsZero() {
		expires = n.ExpiresAt.UnixMilli()
	}
	err = s.changeUrgently(ctx, func(t *tx) error {
		t.addCount(keysVersion, 1)
		if n.AppState != nil {
			if err := t.checkAppKey(ctx, n, owner.num); err != nil {
				return err
			}
		}
		_, err := t.ExecContext(ctx, `INSERT INTO keys (id, name, hash, owner, permissions, rate, burst, created_at,
			expires_at, md5_state)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
			id, name, n.Hash, null(owner.num), strings.Join(n.Permissions, " "), null(n.Rate), null(n.Burst), t.now, expires,
			n.AppState)
		if err != nil {
			return fmt.Errorf("insert key %s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return Key{}, err
	}
	return s.keyWhere(ctx, name, `k.id = $1`, id)
}

// keyOwner returns the user of a new key; one without a number if it follows the active user.
func (s *Store) keyOwner(ctx context.Context, n NewKey) (User, error) {
	if n.Owner != "" {
		return s.User(ctx, n.Owner)
	}
	active, err := s.ActiveUser(ctx) // one must exist
	if err != nil || n.AppState != nil {
		return active, err // an app logs in with the name of its user
	}
	return User{}, nil
}

func (s *Store) keyWhere(ctx context.Context, name, where string, args ...any) (Key, error) {
	found, err := collect(ctx, s.read, "read a key", scanKey,
		`SELECT `+keyColumns+` FROM `+keyTables+` WHERE `+where, args...)
	if err != nil {
		return Key{}, s.d.explain(err)
	}
	if len(found) == 0 {
		return Key{}, notFound("key", name)
	}
	return found[0], nil
}

// Keys lists all keys, including revoked ones, oldest first.
func (s *Store) Keys(ctx context.Context) ([]Key, error) {
	keys, err := collect(ctx, s.read, "list keys", scanKey,
		`SELECT `+keyColumns+` FROM `+keyTables+` ORDER BY k.created_at, k.id`)
	return keys, s.d.explain(err)
}

// KeyByID returns one key, revoked or not.
func (s *Store) KeyByID(ctx context.Context, id string) (Key, error) {
	if !isID(keyPrefix, id) {
		return Key{}, notFound("key", id)
	}
	return s.keyWhere(ctx, id, `k.id = $1`, id)
}

// KeysOf lists the valid keys of a user, oldest first, including uses that are not yet stored.
func (s *Store) KeysOf(ctx context.Context, v Viewer) ([]Key, error) {
	keys, err := collect(ctx, s.read, "list keys of a user", scanKey,
		`SELECT `+keyColumns+` FROM `+keyTables+` WHERE u.num = $1 AND k.revoked_at IS NULL
			ORDER BY k.created_at, k.id`, v.num)
	now := s.now()
	keys = slices.DeleteFunc(keys, func(k Key) bool { return !k.Live(now) })
	s.keys.addRecentUse(keys)
	return keys, s.d.explain(err)
}

// FindKey returns a key by id, or a key that is not revoked by name. An ambiguous name is a
// Conflict.
func (s *Store) FindKey(ctx context.Context, idOrName string) (Key, error) {
	keys, err := s.Keys(ctx)
	if err != nil {
		return Key{}, err
	}
	var named []Key
	for _, k := range keys {
		if k.ID == idOrName {
			return k, nil
		}
		if k.Name == idOrName && k.RevokedAt.IsZero() {
			named = append(named, k)
		}
	}
	switch len(named) {
	case 0:
		return Key{}, notFound("key", idOrName)
	case 1:
		return named[0], nil
	}
	return Key{}, fault.New(fault.Conflict, "%d keys have the name %q: use the id", len(named), idOrName)
}

// storeRevocation revokes a key in the database.
func (s *Store) storeRevocation(ctx context.Context, id string) error {
	return s.retire(ctx, id, func(t *tx) error {
		done, err := t.ExecContext(ctx, `UPDATE keys SET revoked_at = coalesce(revoked_at, $1) WHERE id = $2`, t.now, id)
		return oneRow(done, err, "key", id)
	})
}

// RotateKey replaces the secret of a key that is not revoked. appState is nil unless it is the key
// of an app.
func (s *Store) RotateKey(ctx context.Context, id, hash string, appState []byte) error {
	kind := `md5_state IS NULL`
	if appState != nil {
		kind = `md5_state IS NOT NULL`
	}
	return s.retire(ctx, id, func(t *tx) error {
		done, err := t.ExecContext(ctx, `UPDATE keys SET hash = $1, md5_state = $2, rotated_at = $3
			WHERE id = $4 AND revoked_at IS NULL AND `+kind, hash, appState, t.now, id)
		return oneRow(done, err, "live key", id)
	})
}

// knownKeys caches the keys in use.
type knownKeys struct {
	mu      sync.Mutex
	byHash  map[string]*usedKey
	apps    appKeys
	hashes  keyHashes
	revoked map[string]time.Time // by id: in effect, but not in the database; see key_unsaved.go
}

// usedKey is a key as of a version of all keys.
type usedKey struct {
	Key
	version int64
	used    time.Time
	written time.Time // the last use in the database
	end     context.CancelFunc
}

// Context returns a context that is cancelled when the key is revoked, rotated or expires.
func (k Key) Context() context.Context { return k.ctx }

// KeyByHash returns the valid key with that hash and records its use. An unknown, revoked or
// expired key is an Unauthenticated fault; with the latter two KeyByHash also returns the key. A
// revocation by another process takes effect within maxStaleness.
func (s *Store) KeyByHash(ctx context.Context, hash string) (Key, error) {
	version := s.View().keys
	now := s.now()
	s.keys.mu.Lock()
	if known := s.keys.byHash[hash]; known != nil && known.version == version && known.Live(now) {
		known.used = now
		k := known.Key
		s.keys.mu.Unlock()
		return k, nil
	}
	s.keys.mu.Unlock()
	k, err := s.keyWhere(ctx, "", `k.hash = $1`, hash)
	s.keys.applyRevocation(&k)
	if kind, _ := fault.Of(err); kind == fault.NotFound {
		return Key{}, fault.New(fault.Unauthenticated, "this API key is unknown; create one with: waxwing key create")
	}
	if err != nil {
		return Key{}, err
	}
	if !k.RevokedAt.IsZero() {
		return k, fault.New(fault.Unauthenticated, "this API key was revoked")
	}
	if !k.Live(now) {
		return k, fault.New(fault.Unauthenticated, "this API key has expired")
	}
	return s.keys.remember(k, hash, version, now), nil
}

// remember caches a valid key. A cached key keeps its context.
func (known *knownKeys) remember(k Key, hash string, version int64, now time.Time) Key {
	known.mu.Lock()
	defer known.mu.Unlock()
	old := known.byHash[hash]
	if old == nil {
		old = &usedKey{written: k.LastUsedAt}
		if k.ExpiresAt.IsZero() {
			k.ctx, old.end = context.WithCancel(context.Background())
		} else {
			k.ctx, old.end = context.WithDeadline(context.Background(), k.ExpiresAt)
		}
		if known.byHash == nil {
			known.byHash = make(map[string]*usedKey)
		}
		known.byHash[hash] = old
	} else {
		k.ctx = old.ctx
	}
	old.Key, old.version, old.used = k, version, now
	return k
}

// refreshKeys reads the keys in use again after a key changed, and cancels the contexts of invalid
// ones.
func (s *Store) refreshKeys(ctx context.Context, version int64) error {
	s.keys.mu.Lock()
	var stale []string
	for hash, known := range s.keys.byHash {
		if known.version != version {
			stale = append(stale, hash)
		}
	}
	s.keys.mu.Unlock()
	for _, hash := range stale {
		k, err := s.keyWhere(ctx, "", `k.hash = $1`, hash)
		if kind, _ := fault.Of(err); err != nil && kind != fault.NotFound {
			return err
		}
		s.keys.applyRevocation(&k)
		s.keys.mu.Lock()
		known := s.keys.byHash[hash]
		switch {
		case known == nil: // removed concurrently
		case err != nil || !k.Live(s.now()):
			known.end()
			delete(s.keys.byHash, hash)
		default:
			k.ctx = known.ctx
			known.Key, known.version = k, version
		}
		s.keys.mu.Unlock()
	}
	return nil
}

// addRecentUse sets LastUsedAt of keys to uses that are not yet stored.
func (known *knownKeys) addRecentUse(keys []Key) {
	known.mu.Lock()
	defer known.mu.Unlock()
	for _, used := range known.byHash {
		at := slices.IndexFunc(keys, func(k Key) bool { return k.ID == used.ID })
		if at >= 0 && used.used.After(keys[at].LastUsedAt) {
			keys[at].LastUsedAt = used.used
		}
	}
}

// close cancels the contexts of all keys.
func (known *knownKeys) close() {
	known.mu.Lock()
	defer known.mu.Unlock()
	for _, k := range known.byHash {
		k.end()
	}
	clear(known.byHash)
}

// writeKeyUse stores when keys were last used, by the minute. It does not raise the revision,
// because no reader of the catalog sees the difference.
func (s *Store) writeKeyUse(ctx context.Context) error {
	type use struct {
		id string
		at int64
	}
	var uses []use
	s.keys.mu.Lock()
	for _, k := range s.keys.byHash {
		if k.used.Sub(k.written) >= time.Minute {
			k.written = k.used
			uses = append(uses, use{k.ID, k.used.UnixMilli()})
		}
	}
	s.keys.mu.Unlock()
	for _, u := range uses {
		if _, err := s.write.ExecContext(ctx, `UPDATE keys SET last_used_at = $1 WHERE id = $2`, u.at, u.id); err != nil {
			return fmt.Errorf("store the use of a key: %w", err)
		}
	}
	return nil
}
