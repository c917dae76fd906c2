package catalog

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
)

const (
	settingEpoch      = "epoch"
	settingSigningKey = "signing_key"
	settingActiveUser = "active_user"
	settingFloor      = "schema_floor" // see checkFloor
)

// ensureSettings draws what must be random and the same for every server of this catalog.
func (s *Store) ensureSettings(ctx context.Context) error {
	for _, name := range []string{settingEpoch, settingSigningKey} {
		if _, err := s.setting(ctx, name); err == nil {
			continue
		} else if !errors.Is(err, sql.ErrNoRows) {
			return s.d.explain(err)
		}
		bytes := 32
		if name == settingEpoch {
			bytes = 4
		}
		// Another server may draw at the same moment: the first one stays.
		_, err := s.write.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, randomHex(bytes))
		if err != nil {
			return s.d.explain(fmt.Errorf("draw the %s: %w", name, err))
		}
	}
	return nil
}

// setting reads one value; an unknown one is sql.ErrNoRows.
func (s *Store) setting(ctx context.Context, name string) (value string, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT value FROM settings WHERE name = $1`, name).Scan(&value)
	if err != nil {
		return "", fmt.Errorf("read the setting %s: %w", name, err)
	}
	return value, nil
}

// SigningKey is the secret under which links to media are signed, the same on every server.
func (s *Store) SigningKey(ctx context.Context) ([]byte, error) {
	text, err := s.setting(ctx, settingSigningKey)
	if err != nil {
		return nil, s.d.explain(err)
	}
	return hex.DecodeString(text)
}

// RenewEpoch is called after a catalog was restored: what clients remember of its revisions may be
// of a future that never came. It takes effect when the catalog is opened again.
func (s *Store) RenewEpoch(ctx context.Context) error {
	return s.change(ctx, durable, func(t *tx) error {
		_, err := t.ExecContext(ctx, `UPDATE settings SET value = $1 WHERE name = $2`, randomHex(4), settingEpoch)
		if err != nil {
			return fmt.Errorf("renew the epoch: %w", err)
		}
		return nil
	})
}

// randomHex is a random text of n bytes, in hex.
func randomHex(n int) string {
	secret := make([]byte, n)
	_, _ = rand.Read(secret) // never fails: it ends the program first
	return hex.EncodeToString(secret)
}
