package access

import (
	"context"
	"errors"
	"sync"
	"time"

	"waxwing/internal/fault"
)

// ErrNotSaved is wrapped by the error of a Revoke that took effect but could not be saved.
var ErrNotSaved = errors.New("the revocation is not saved yet")

// retrySaveAfter is the pause between attempts to save a revocation.
const retrySaveAfter = 2 * time.Second

// unsaved holds revocations that are in effect but not in the file, because the disk failed.
type unsaved struct {
	mu    sync.Mutex
	at    map[string]time.Time // by token id
	added chan struct{}        // signals Run to retry
}

func (u *unsaved) add(id string, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.at == nil {
		u.at = make(map[string]time.Time)
	}
	u.at[id] = at
}

// apply revokes the tokens of d whose revocation is not saved.
func (u *unsaved) apply(d *document) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range d.Tokens {
		t := &d.Tokens[i]
		if at, ok := u.at[t.ID]; ok && t.RevokedAt.IsZero() {
			t.RevokedAt = at
		}
	}
}

// saved removes the revocations that d contains.
func (u *unsaved) saved(d document) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, t := range d.Tokens {
		if !t.RevokedAt.IsZero() {
			delete(u.at, t.ID)
		}
	}
}

func (u *unsaved) empty() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.at) == 0
}

// Revoke revokes the token with that id, or with that name if exactly one live token has it.
// Revoking twice changes nothing. This process refuses the token when Revoke returns, even if the
// file cannot be written: then the error wraps ErrNotSaved and Run retries. Other processes refuse
// it within a second of the change of the file.
func (s *Store) Revoke(ctx context.Context, idOrName string) (Token, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	known := document{}
	for _, t := range s.view.Load().byID {
		known.Tokens = append(known.Tokens, *t)
	}
	held, findErr := known.find(idOrName)
	if findErr == nil && held.RevokedAt.IsZero() {
		s.unsaved.add(held.ID, now)
		s.revokeInMemory(held.ID, now)
	}
	var revoked Token
	err := s.change(ctx, func(d *document) error {
		t, err := d.find(idOrName)
		if err != nil {
			return err
		}
		if t.RevokedAt.IsZero() {
			t.RevokedAt = now
		}
		revoked = *t
		return nil
	})
	if kind, _ := fault.Of(err); kind != fault.Unavailable || findErr != nil {
		return revoked, err
	}
	notify(s.unsaved.added)
	held.RevokedAt = now
	return *held, fault.Wrap(fault.Unavailable, errors.Join(ErrNotSaved, err),
		"the token is refused from now on, but that cannot be saved; free space on the disk of the data folder")
}

// revokeInMemory replaces the view by one in which the token is revoked.
func (s *Store) revokeInMemory(id string, at time.Time) {
	s.loading.Lock()
	defer s.loading.Unlock()
	old := s.view.Load()
	v := &view{
		info:   old.info,
		byHash: make(map[Hash]*Token, len(old.byHash)),
		byID:   make(map[string]*Token, len(old.byID)),
	}
	for _, t := range old.byID {
		if t.ID == id {
			revoked := *t
			revoked.RevokedAt = at
			t = &revoked
		}
		v.byHash[t.Hash], v.byID[t.ID] = t, t
	}
	s.view.Store(v)
	s.contexts.cancelInvalid(v, time.Now())
}

// saveRevocations tries to save the revocations that are only in memory.
func (s *Store) saveRevocations(ctx context.Context) {
	if err := s.change(ctx, func(*document) error { return nil }); err != nil {
		s.log.Warn("cannot save the revocation of a token; it is refused until this server stops", "err", err)
		return
	}
	s.log.Info("the revocation of a token is saved now")
}

// RevokeAll revokes every token. It is for a restored file whose secrets may be known to others.
func (s *Store) RevokeAll(ctx context.Context) error {
	now := time.Now().UTC().Truncate(time.Millisecond)
	return s.change(ctx, func(d *document) error {
		for i := range d.Tokens {
			if d.Tokens[i].RevokedAt.IsZero() {
				d.Tokens[i].RevokedAt = now
			}
		}
		return nil
	})
}

// SaveRevoked writes the revocations of the list into the file, and those of the file into the
// list.
func (s *Store) SaveRevoked(ctx context.Context) error {
	return s.change(ctx, func(*document) error { return nil })
}
