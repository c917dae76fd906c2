// Package statefile replaces small files atomically: after a crash or a power cut a file has the
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

// Write replaces the file at path with data. When it returns nil, the new content is on disk. After
// an error the file has the old content or, if only the sync of the folder failed, the new. The
// folder must exist.
func Write(path string, data []byte, perm os.FileMode) error {
	return Replace(System, path, data, perm)
}

// Replace is Write on the given disk.
func Replace(disk Disk, path string, data []byte, perm os.FileMode) (err error) {
	dir, name := filepath.Split(path)
	temp := filepath.Join(dir, "."+name+"."+rand.Text())
	defer func() {
		if err != nil {
			_ = disk.Remove(temp) // it may not exist
			err = fmt.Errorf("replace %s: %w", name, err)
		}
	}()
	f, err := disk.Create(temp, perm)
	if err != nil {
		return err
	}
	_, werr := f.Write(data)
	if err := errors.Join(werr, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := disk.Rename(temp, path); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Clean(dir))
}

// Sweep removes the temporary files of interrupted replacements of path. The caller makes sure that
// no replacement is under way.
func Sweep(path string) error {
	dir, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return fmt.Errorf("list temporary files of %s: %w", name, err)
	}
	for _, e := range entries {
		if rest, ours := strings.CutPrefix(e.Name(), "."+name+"."); ours && len(rest) == len(rand.Text()) {
			_ = os.Remove(filepath.Join(dir, e.Name())) // the next start tries again
		}
	}
	return nil
}
