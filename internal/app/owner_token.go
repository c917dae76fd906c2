package app

import (
	"context"
	"log/slog"
	"sync"

	"waxwing/internal/access"
	"waxwing/internal/audit"
)

// ownerToken keeps the token of the owner's commands valid.
type ownerToken struct {
	tokens *access.Store
	file   string
	audit  *audit.Log
	log    *slog.Logger

	mu    sync.Mutex
	token access.Token
}

// ensure creates a token if the one in the file is not valid.
func (o *ownerToken) ensure(ctx context.Context) error {
	t, created, err := access.EnsureOwnerToken(ctx, o.tokens, o.file)
	if err != nil {
		return err
	}
	if created {
		o.audit.Record(audit.Entry{
			Server: "player", Decision: audit.Allowed, Event: audit.TokenCreated, Subject: t.ID, SubjectName: t.Name,
		})
	}
	o.token = t
	return nil
}

// current returns the owner's token. If it was revoked, current creates another: the request comes
// from the owner's account, which could restart the player for the same effect.
func (o *ownerToken) current(ctx context.Context) access.Token {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.tokens.TokenContext(o.token.ID).Err() == nil {
		return o.token
	}
	if err := o.ensure(ctx); err != nil {
		o.log.Warn("the owner's token was revoked and cannot be replaced; restart the player", "err", err)
	}
	return o.token
}
