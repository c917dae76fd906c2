package catalog

import (
	"context"
	"slices"
	"sync"
	"time"
)

// keyHashes caches the hashes of all keys that are not of apps.
type keyHashes struct {
	mu      sync.Mutex
	version int64
	read    time.Time // zero: never
	hashes  []string
}

// KeyHash returns the hash of a key for which matches reports true, "" if there is none. Revoked
// and expired keys count too, keys of apps do not.
func (s *Store) KeyHash(ctx context.Context, matches func(hash string) bool) (string, error) {
	for _, newest := range []bool{false, true} {
		hashes, err := s.keyHashes(ctx, newest)
		if err != nil {
			return "", s.d.explain(err)
		}
		if i := slices.IndexFunc(hashes, matches); i >= 0 {
			return hashes[i], nil
		}
	}
	return "", nil
}

// keyHashes reads the hashes once for each version of the keys, or the newest ones: another process
// may have created a key a moment ago. As for keys of apps, guessing costs the database little.
func (s *Store) keyHashes(ctx context.Context, newest bool) ([]string, error) {
	version := s.View().keys
	h := &s.keys.hashes
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.read.IsZero() && h.version >= version && (!newest || time.Since(h.read) < appKeysAge) {
		return h.hashes, nil
	}
	begun := time.Now()
	hashes, err := collect(ctx, s.read, "list the hashes of keys", scanID, `SELECT hash FROM keys WHERE md5_state IS NULL`)
	if err != nil {
		return nil, err
	}
	h.version, h.read, h.hashes = version, begun, hashes
	return hashes, nil
}
