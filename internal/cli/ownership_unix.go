//go:build unix

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"waxwing/internal/app"
)

// restoreOwner gives files that root created in a data folder to the owner of that folder.
// Otherwise a server that runs under its own account could not open them.
func restoreOwner(dir app.DataDir) error {
	info, err := os.Stat(string(dir))
	if err != nil || os.Geteuid() != 0 {
		return nil // nothing exists, or nothing belongs to root
	}
	folder, ok := info.Sys().(*syscall.Stat_t)
	if !ok || folder.Uid == 0 {
		return nil
	}
	return filepath.WalkDir(string(dir), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a running server may remove files
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // removed since it was listed
		}
		if owner, ok := info.Sys().(*syscall.Stat_t); !ok || owner.Uid != 0 {
			return nil
		}
		if err := os.Lchown(path, int(folder.Uid), int(folder.Gid)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("give %s to the owner of the data folder: %w", filepath.Base(path), err)
		}
		return nil
	})
}
