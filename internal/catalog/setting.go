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

// ensureSettings creates the random settings that all servers of this catalog share.
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
		// If another server does the same, the first value stays.
		_, err := s.write.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES ($1, $2)
			ON CONFLICT (name) DO NOTHING`, name, randomHex(bytes))
		if err != nil {
			return s.d.explain(fmt.Errorf("create the setting %s: %w", name, err))
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

// SigningKey returns the secret that signs media links and names covers. It is the same on every
// server.
func (s *Store) SigningKey(ctx context.Context) ([]byte, error) {
	text, err := s.setting(ctx, settingSigningKey)
	if err != nil {
		return nil, s.d.explain(err)
	}
	return hex.DecodeString(text)
}

// RenewEpoch invalidates the revisions that clients have cached. Call it after restoring a backup;
// it takes effect when the catalog is opened again.
func (s *Store) RenewEpoch(ctx context.Context) error {
	return s.change(ctx, durable, func(t *tx) error {
		_, err := t.ExecContext(ctx, `UPDATE settings SET value = $1 WHERE name = $2`, randomHex(4), settingEpoch)
		if err != nil {
			return fmt.Errorf("renew the epoch: %w", err)
		}
		return nil
	})
}

// randomHex returns n random bytes in hex.
func randomHex(n int) string {
	secret := make([]byte, n)
	_, _ = rand.Read(secret) // never fails
	return hex.EncodeToString(secret)
}
