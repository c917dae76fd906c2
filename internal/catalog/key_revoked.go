package catalog

import (
	"context"
	"database/sql"
	"fmt"
)

// RevokedHashes returns the hashes of all revoked keys.
func (s *Store) RevokedHashes(ctx context.Context) ([]string, error) {
	hashes, err := s.hashes(ctx, `revoked_at IS NOT NULL`)
	return hashes, s.d.explain(err)
}

// RevokeHashes revokes the keys for which revoked reports true, and returns their number.
func (s *Store) RevokeHashes(ctx context.Context, revoked func(hash string) bool) (n int, err error) {
	live, err := s.hashes(ctx, `revoked_at IS NULL`)
	if err != nil {
		return 0, s.d.explain(err)
	}
	var found []string
	for _, hash := range live {
		if revoked(hash) {
			found = append(found, hash)
		}
	}
	if len(found) == 0 {
		return 0, nil
	}
	return len(found), s.changeUrgently(ctx, func(t *tx) error {
		t.addCount(keysVersion, 1)
		for _, hash := range found {
			_, err := t.ExecContext(ctx, `UPDATE keys SET revoked_at = coalesce(revoked_at, $1) WHERE hash = $2`, t.now, hash)
			if err != nil {
				return fmt.Errorf("revoke a key by its hash: %w", err)
			}
		}
		return nil
	})
}

func (s *Store) hashes(ctx context.Context, where string) ([]string, error) {
	return collect(ctx, s.read, "list hashes of keys", func(rows *sql.Rows) (hash string, err error) {
		err = rows.Scan(&hash)
		return hash, err
	}, `SELECT hash FROM keys WHERE `+where)
}

// retire runs a change that invalidates the secret of a key, and reports its hash when that is
// done.
func (s *Store) retire(ctx context.Context, id string, f func(*tx) error) error {
	var hash string
	err := s.changeUrgently(ctx, func(t *tx) error {
		t.addCount(keysVersion, 1)
		err := t.QueryRowContext(ctx, `SELECT hash FROM keys WHERE id = $1`, id).Scan(&hash)
		if err != nil && err != sql.ErrNoRows { //nolint:errorlint // QueryRow returns it as it is
			return fmt.Errorf("read the hash of a key: %w", err)
		}
		return f(t)
	})
	if err == nil && s.retired != nil {
		s.retired(hash)
	}
	return err
}
