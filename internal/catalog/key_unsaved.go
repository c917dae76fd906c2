package catalog

import (
	"context"
	"errors"
	"time"

	"waxwing/internal/fault"
)

// ErrNotSaved is wrapped by the error of a RevokeKey that took effect but could not be saved.
var ErrNotSaved = errors.New("the revocation is not saved yet")

// RevokeKey revokes a key. It does nothing if the key is already revoked. A server refuses the key
// at once, even if the database cannot be written: then the error wraps ErrNotSaved, and the server
// saves the revocation later.
func (s *Store) RevokeKey(ctx context.Context, id string) error {
	s.keys.revoke(id, s.now())
	err := s.storeRevocation(ctx, id)
	if kind, _ := fault.Of(err); kind == fault.Unavailable && s.serves {
		s.log.WarnContext(ctx, "cannot save the revocation of a key; it is refused until this server stops",
			"key", id, "err", err)
		s.requestPoll()
		return fault.Wrap(fault.Unavailable, errors.Join(ErrNotSaved, err),
			"the key is refused from now on, but that cannot be saved; free space on the disk of the catalog's database")
	}
	s.keys.saved(id) // or nothing to save
	return err
}

// saveRevocations tries to save the revocations that are only in memory.
func (s *Store) saveRevocations(ctx context.Context) error {
	for _, id := range s.keys.unsaved() {
		if err := s.storeRevocation(ctx, id); err != nil {
			return err
		}
		s.keys.saved(id)
		s.log.InfoContext(ctx, "the revocation of a key is saved now", "key", id)
	}
	return nil
}

// revoke refuses a key from now on and cancels its context.
func (known *knownKeys) revoke(id string, now time.Time) {
	known.mu.Lock()
	defer known.mu.Unlock()
	if known.revoked == nil {
		known.revoked = make(map[string]time.Time)
	}
	known.revoked[id] = now
	for hash, used := range known.byHash {
		if used.ID == id {
			used.end()
			delete(known.byHash, hash)
		}
	}
}

// saved ends the revocation in memory.
func (known *knownKeys) saved(id string) {
	known.mu.Lock()
	defer known.mu.Unlock()
	delete(known.revoked, id)
}

// unsaved lists the keys whose revocation is only in memory.
func (known *knownKeys) unsaved() []string {
	known.mu.Lock()
	defer known.mu.Unlock()
	return sortedKeys(known.revoked)
}

// applyRevocation sets RevokedAt of a key whose revocation is not saved.
func (known *knownKeys) applyRevocation(k *Key) {
	known.mu.Lock()
	defer known.mu.Unlock()
	if at, ok := known.revoked[k.ID]; ok && k.RevokedAt.IsZero() {
		k.RevokedAt = at
	}
}
