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
)

// ensureSettings draws what must be random and the same for every server of this catalog.
func (s *Store) ensureSettings(ctx context.Context) error {
	for _, name := range []string{settingEpoch, settingSigningKey} {
		if _, err := s.setting(ctx, name); err == nil {
			continue
		} else if !errors.Is(err, sql.ErrNoRows) {
			return s.d.explain(err)
		}
		secret := make([]byte, 32)
		_, _ = rand.Read(secret) // never fails: it ends the program first
		if name == settingEpoch {
			secret = secret[:4]
		}
		// Another server may draw at the same moment: the first one stays.
		_, err := s.write.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, hex.EncodeToString(secret))
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
