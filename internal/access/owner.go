package access

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"waxwing/internal/fault"
	"waxwing/internal/statefile"
)

// Owner returns the secret kept in file, by which the commands of this account steer the
// player. If there is none, or it no longer opens everything, a new one is made and kept there
// for this account alone.
func Owner(ctx context.Context, s *Store, file string) (secret string, err error) {
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fault.Wrap(fault.Unavailable, err, "the owner's token cannot be read")
	}
	kept := strings.TrimSpace(string(data))
	const all = Read | Write | Keys
	if t, err := s.Check(kept); err == nil && t.Permissions.Has(all) {
		return kept, nil
	}
	_, secret, err = s.Create(ctx, NewToken{Name: "owner", Permissions: all})
	if err != nil {
		return "", err
	}
	if err := statefile.Write(file, []byte(secret+"\n"), 0o600); err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "the owner's token cannot be kept")
	}
	return secret, nil
}
