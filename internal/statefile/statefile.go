// Package statefile replaces small files so that a reader, a crash or a power cut finds the
// old content or the new, never a part of either.
package statefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Write replaces the file at path with data. When it returns nil the new content is on disk
// under that name; when it fails the old content is still there. The folder must exist.
func Write(path string, data []byte, perm os.FileMode) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("replace %s: %w", filepath.Base(path), err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
			err = fmt.Errorf("replace %s: %w", filepath.Base(path), err)
		}
	}()
	_, werr := f.Write(data)
	if err := errors.Join(werr, f.Chmod(perm), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// syncDir makes a rename durable. Windows keeps no such handle on folders and needs none.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
