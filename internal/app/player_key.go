package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"waxwing/internal/access"
	"waxwing/internal/audit"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/statefile"
)

// playerRate is how many requests a second the player of the same process may send: its one key
// serves the web player and all widgets.
const playerRate = 1000

// playerPermissions include keys, so that the owner can manage keys in the web player.
func playerPermissions() []string { return access.KeyPermissions.Words() }

// playerKey returns the key by which the player of this data folder reaches the catalog. It creates
// one if file holds none, or one with other permissions.
func (r *catalogRole) playerKey(ctx context.Context, file string) (string, error) {
	stored, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the player's key: %w", err)
	}
	secret := strings.TrimSpace(string(stored))
	if secret != "" {
		key, err := r.store.KeyByHash(ctx, access.HashOf(secret).String())
		if kind, _ := fault.Of(err); err != nil && kind != fault.NotFound && kind != fault.Unauthenticated {
			return "", err
		}
		if err == nil && slices.Equal(key.Permissions, playerPermissions()) {
			r.playerKeyID = key.ID
			return secret, nil
		}
		if err == nil {
			if err := r.store.RevokeKey(ctx, key.ID); err != nil {
				return "", fmt.Errorf("revoke the player's old key: %w", err)
			}
		}
	}
	secret, hash := access.Mint(access.KeyPrefix)
	key, err := r.store.CreateKey(ctx, catalog.NewKey{
		Name: "player", Hash: hash.String(), Permissions: playerPermissions(), Rate: playerRate,
		Burst: burstFactor * playerRate,
	})
	if err != nil {
		return "", fmt.Errorf("create the player's key: %w", err)
	}
	r.app.audit.Record(audit.Entry{Server: "catalog", Decision: audit.Allowed, Event: audit.KeyCreated, Subject: key.ID,
		SubjectName: key.Name})
	if err := statefile.Write(file, []byte(secret+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("store the player's key: %w", err)
	}
	r.playerKeyID = key.ID
	return secret, nil
}
