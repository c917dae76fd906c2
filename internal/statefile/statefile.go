// Package statefile replaces small files so that a reader, a crash or a power cut finds the
// old content or the new, never a part of either.
package statefile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Write replaces the file at path with data. When it returns nil the new content is on disk
// under that name. When it fails the file is whole all the same: it holds the old content or, if
// nothing but the last sync of the folder failed, the new. The folder must exist.
func Write(path string, data []byte, perm os.FileMode) error {
	return Replace(System, path, data, perm)
}

// Replace is Write on a disk of the caller's choice.
func Replace(disk Disk, path string, data []byte, perm os.FileMode) (err error) {
	dir, name := filepath.Split(path)
	fresh := filepath.Join(dir, "."+name+"."+rand.Text())
	defer func() {
		if err != nil {
			_ = disk.Remove(fresh) // it may not exist
			err = fmt.Errorf("replace %s: %w", name, err)
		}
	}()
	f, err := disk.Create(fresh, perm)
	if err != nil {
		return err
	}
	_, werr := f.Write(data)
	if err := errors.Join(werr, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := disk.Rename(fresh, path); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Clean(dir))
}

// Sweep removes what replacements of path that were cut short have left beside it. Nobody else may be
// replacing it meanwhile.
func Sweep(path string) error {
	dir, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return fmt.Errorf("look for leftovers of %s: %w", name, err)
	}
	for _, e := range entries {
		if rest, ours := strings.CutPrefix(e.Name(), "."+name+"."); ours && len(rest) == len(rand.Text()) {
			_ = os.Remove(filepath.Join(dir, e.Name())) // another try comes with the next start
		}
	}
	return nil
}
