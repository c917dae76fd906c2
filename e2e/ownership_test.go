package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestRootCreatesFilesOwnedByTheService: commands run as root create only files that the service
// can open.
func TestRootCreatesFilesOwnedByTheService(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	data := filepath.Join(home, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	owner := os.Geteuid()
	if owner == 0 {
		owner = 65534
		if err := os.Chown(data, owner, owner); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"key", "create", "--name", "x"}, {"scan", "--music", t.TempDir()}, {"user", "list"}} {
		if _, errs, code := command(t, environment(home), append(args, "--data-dir", data)...); code != 0 {
			t.Fatalf("waxwing %v: got exit code %d, errors %q; want 0", args, code, errs)
		}
	}
	files := 0
	err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files++
		if uid := info.Sys().(*syscall.Stat_t).Uid; int(uid) != owner {
			t.Errorf("owner of %s: got %d, want %d", path, uid, owner)
		}
		return nil
	})
	if err != nil || files < 3 {
		t.Errorf("files: got %d, error %v; want at least 3", files, err)
	}
}
