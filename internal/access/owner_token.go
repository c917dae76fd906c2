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

// EnsureOwnerToken makes sure that file holds a secret by which the commands of this account steer the
// player. If there is none, or it no longer opens everything, a new one is made and kept there for
// this account alone; made is its token, and nil otherwise.
func EnsureOwnerToken(ctx context.Context, s *Store, file string) (created *Token, err error) {
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Wrap(fault.Unavailable, err, "the owner's token cannot be read")
	}
	const all = Read | Write | Keys
	if t, err := s.Check(strings.TrimSpace(string(data))); err == nil && t.Permissions.Has(all) {
		return nil, nil
	}
	token, secret, err := s.Create(ctx, NewToken{Name: "owner", Permissions: all})
	if err != nil {
		return nil, err
	}
	if err := statefile.Write(file, []byte(secret+"\n"), 0o600); err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "the owner's token cannot be kept")
	}
	return &token, nil
}
