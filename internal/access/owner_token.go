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

// EnsureOwnerToken makes sure that file holds the secret of a live token with all permissions, for
// the commands of this account. If not, it creates one, writes its secret to file with mode 0600
// and reports that it did.
func EnsureOwnerToken(ctx context.Context, s *Store, file string) (t Token, created bool, err error) {
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Token{}, false, fault.Wrap(fault.Unavailable, err,
			"cannot read the owner's token; check the permissions of the data folder")
	}
	const all = KeyPermissions | Streams
	if t, err := s.Check(strings.TrimSpace(string(data))); err == nil && t.Permissions.Has(all) {
		return t, false, nil
	}
	t, secret, err := s.Create(ctx, NewToken{Name: "owner", Permissions: all})
	if err != nil {
		return Token{}, false, err
	}
	if err := statefile.Write(file, []byte(secret+"\n"), 0o600); err != nil {
		return t, true, fault.Wrap(fault.Unavailable, err,
			"cannot write the owner's token; check the disk of the data folder")
	}
	return t, true, nil
}
