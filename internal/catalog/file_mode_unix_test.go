//go:build unix

package catalog_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"waxwing/internal/catalog"
)

// TestCatalogFilesArePrivate checks, with the most permissive umask, that all files of a catalog
// are readable by their owner only, at any time.
func TestCatalogFilesArePrivate(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	dir := t.TempDir()
	open := func(path string) *catalog.Store {
		t.Helper()
		s, err := catalog.Open(t.Context(), catalog.Config{DB: path})
		if err != nil {
			t.Fatal(err)
		}
		ingest(t, s, song(1))
		return s
	}
	path := filepath.Join(dir, "catalog.db")
	s := open(path)
	checkPrivate(t, dir, "catalog.db", "catalog.db-wal", "catalog.db-shm")
	if err := s.Backup(t.Context(), filepath.Join(dir, "copy.db")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	checkPrivate(t, dir, "catalog.db", "copy.db")

	// Files of an earlier release become private at the next start, including backups.
	for _, name := range []string{"catalog.db", "catalog.db-wal", "catalog.db.before-schema-2-x", "catalog.dbx"} {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Chmod(0o644); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s = open(path)
	checkPrivate(t, dir, "catalog.db", "catalog.db-wal", "catalog.db-shm", "catalog.db.before-schema-2-x")
	if info, err := os.Stat(filepath.Join(dir, "catalog.dbx")); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode of a file with another name: got %v, error %v; want 0644", info, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	// A symbolic link to a missing file is followed, as by the engine.
	elsewhere := t.TempDir()
	if err := os.Symlink(filepath.Join(elsewhere, "real.db"), filepath.Join(dir, "link.db")); err != nil {
		t.Fatal(err)
	}
	s = open(filepath.Join(dir, "link.db"))
	defer s.Close()
	checkPrivate(t, elsewhere, "real.db", "real.db-wal", "real.db-shm")
}

// checkPrivate checks that only the owner can read the files.
func checkPrivate(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != 0o600 {
			t.Errorf("mode of %s: got %o, want 600", name, info.Mode().Perm())
		}
	}
}

// TestFilesOfOtherAccountsAreNotChanged protects operators who open catalogs of other accounts as
// root.
func TestFilesOfOtherAccountsAreNotChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	owned := os.Geteuid() != 0 || os.Chown(path, 65534, -1) != nil
	catalog.MakePrivate(path)
	want := os.FileMode(0o640)
	if owned {
		want = 0o600
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
		t.Errorf("mode: got %v, error %v; want %o", info.Mode(), err, want)
	}
}
