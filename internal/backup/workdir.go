package backup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// newWorkDir creates a folder for temporary files in dir and removes those that killed processes
// left there. A lock in each folder tells them from folders in use.
func newWorkDir(dir, purpose string) (path string, done func() error, err error) {
	prefix := ".waxwing-" + purpose + "-"
	if err := sweepWorkDirs(dir, prefix); err != nil {
		return "", nil, err
	}
	if path, err = os.MkdirTemp(dir, prefix+"*"); err != nil {
		return "", nil, fmt.Errorf("create a folder for temporary files: %w", err)
	}
	lock := lockIn(path)
	if _, err := lock.TryLock(); err != nil {
		return "", nil, errors.Join(fmt.Errorf("lock the folder for temporary files: %w", err), os.RemoveAll(path))
	}
	return path, func() error { return errors.Join(lock.Close(), os.RemoveAll(path)) }, nil
}

func lockIn(dir string) *flock.Flock {
	return flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600))
}

func sweepWorkDirs(dir, prefix string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("list temporary files: %w", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) || time.Since(info.ModTime()) < time.Minute {
			continue // a new one may not be locked yet
		}
		left := filepath.Join(dir, e.Name())
		lock := lockIn(left)
		free, err := lock.TryLock()
		_ = lock.Close() // the next attempt reports what is wrong with it
		if err == nil && free {
			_ = os.RemoveAll(left) // as above
		}
	}
	return nil
}
