//go:build unix

package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFilesAreReadableByOwnerOnly runs commands with an umask of 0, inside and outside the data
// folder.
func TestFilesAreReadableByOwnerOnly(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	data, open := t.TempDir(), t.TempDir() // a folder outside the data folder
	for _, args := range [][]string{
		{"key", "create", "--name", "a"},
		{"token", "create", "--name", "a", "--permission", "read"},
		{"db", "move", "--to", filepath.Join(open, "moved.db")},
		{"backup", "create", filepath.Join(open, "backup.tar")},
		{"backup", "restore", filepath.Join(open, "backup.tar")},
	} {
		if _, errs, code := waxwing(t, append(args, "--data-dir", data)...); code != 0 {
			t.Fatalf("%v: %s", args, errs)
		}
	}
	found := 0
	for _, dir := range []string{data, open} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			found++
			info, err := os.Stat(path)
			if err == nil && info.Mode().Perm() != 0o600 {
				t.Errorf("%s has mode %o", path, info.Mode().Perm())
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if found < 6 {
		t.Errorf("only %d files were created", found)
	}
}
