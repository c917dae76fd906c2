package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/internal/backup"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// layout is that of a small data folder.
var layout = backup.Layout{Catalog: "catalog.db", Files: []string{"tokens.json", "player.journal",
	"never-written"}, Dirs: []string{"covers/kept"}}

// stateFiles are the files of a data folder besides the catalog.
var stateFiles = map[string]string{
	"tokens.json": `{"tokens":[]}`, "player.journal": "queue\n", "covers/kept/a.png": "picture a",
	"covers/kept/b.png": "picture b",
}

// dataDir creates a data folder with one user in the catalog, files that are backed up and files
// that are not.
func dataDir(t *testing.T, user string) (dir string, store *catalog.Store) {
	t.Helper()
	dir = t.TempDir()
	store, err := catalog.Open(t.Context(), catalog.Config{DB: filepath.Join(dir, "catalog.db"),
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := store.CreateUser(t.Context(), catalog.NewUser{Name: user}); err != nil {
		t.Fatal(err)
	}
	for name, content := range stateFiles {
		write(t, filepath.Join(dir, name), content)
	}
	write(t, filepath.Join(dir, "owner-token"), "secret")
	write(t, filepath.Join(dir, "covers/kept/deeper/c.png"), "not in the layout")
	return dir, store
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// create returns a backup of a new data folder.
func create(t *testing.T) string {
	t.Helper()
	dir, store := dataDir(t, "Ann")
	to := filepath.Join(t.TempDir(), "backup.tar")
	if err := backup.Create(t.Context(), store, dir, to, layout); err != nil {
		t.Fatal(err)
	}
	return to
}

// member is one file of an archive.
type member struct {
	tar.Header
	content []byte
}

func members(t *testing.T, path string) (list []member) {
	t.Helper()
	r := tar.NewReader(strings.NewReader(read(t, path)))
	for {
		h, err := r.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, member{*h, content})
	}
}

// archive writes members to a new file.
func archive(t *testing.T, list []member) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range list {
		m.Size = int64(len(m.content))
		if m.Typeflag != tar.TypeReg {
			m.Size = 0
		}
		if err := w.WriteHeader(&m.Header); err != nil {
			t.Fatal(err)
		}
		if m.Size > 0 {
			if _, err := w.Write(m.content); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "changed.tar")
	write(t, path, b.String())
	return path
}

// tree lists all files below dir with their content, the catalog's only by name.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if strings.HasPrefix(name, "catalog.db") {
			files[name] = ""
			return err
		}
		files[name] = read(t, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// hasUser reports whether the catalog in dir has a user.
func hasUser(t *testing.T, dir, username string) bool {
	t.Helper()
	store, err := catalog.Open(t.Context(), catalog.Config{DB: filepath.Join(dir, "catalog.db"),
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	_, err = store.User(t.Context(), username)
	return err == nil
}

func TestCreateStoresCatalogAndStateFilesPrivately(t *testing.T) {
	to := create(t)
	info, err := os.Stat(to)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the backup has mode %v, want 0600", info.Mode().Perm())
	}
	list := members(t, to)
	var names []string
	for _, m := range list {
		names = append(names, m.Name)
		if m.Mode != 0o600 {
			t.Errorf("%s has mode %o, want 0600", m.Name, m.Mode)
		}
		if want, ok := stateFiles[m.Name]; ok && string(m.content) != want {
			t.Errorf("%s contains %q, want %q", m.Name, m.content, want)
		}
	}
	want := []string{"waxwing-backup.json", "catalog.db", "tokens.json", "player.journal", "covers/kept/a.png",
		"covers/kept/b.png", "waxwing-manifest.json"}
	if !slices.Equal(names, want) {
		t.Errorf("members are %v, want %v", names, want)
	}
	if entries, _ := os.ReadDir(filepath.Dir(to)); len(entries) != 1 {
		t.Errorf("%d files beside the backup, want none: %v", len(entries)-1, entries)
	}
}

func TestCreateDoesNotOverwriteAFile(t *testing.T) {
	dir, store := dataDir(t, "Ann")
	to := filepath.Join(t.TempDir(), "backup.tar")
	write(t, to, "precious")
	err := backup.Create(t.Context(), store, dir, to, layout)
	if kind, _ := fault.Of(err); kind != fault.Conflict || read(t, to) != "precious" {
		t.Errorf("%v, and the file contains %q; want a conflict and the old content", err, read(t, to))
	}
}

func TestCreateLeavesNothingBehindWhenItFails(t *testing.T) {
	dir, store := dataDir(t, "Ann")
	beside := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := backup.Create(ctx, store, dir, filepath.Join(beside, "backup.tar"), layout); err == nil {
		t.Error("a cancelled backup succeeded")
	}
	bad := layout
	bad.Dirs = []string{"tokens.json"} // a file where a folder is expected
	if err := backup.Create(t.Context(), store, dir, filepath.Join(beside, "backup.tar"), bad); err == nil {
		t.Error("a backup of an unreadable folder succeeded")
	}
	if entries, _ := os.ReadDir(beside); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
	if err := backup.Create(t.Context(), store, dir, filepath.Join(beside, "none", "backup.tar"), layout); err == nil {
		t.Error("a backup into a missing folder succeeded")
	}
}

func TestCreateIsConsistentWhileFilesAreReplaced(t *testing.T) {
	dir, store := dataDir(t, "Ann")
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() { // as the player does when it compacts its journal
		defer close(stopped)
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			default:
			}
			next := filepath.Join(dir, "next")
			if err := os.WriteFile(next, bytes.Repeat([]byte("x"), n%5000), 0o600); err != nil {
				t.Error(err)
				return
			}
			if err := os.Rename(next, filepath.Join(dir, "player.journal")); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	defer func() { close(done); <-stopped }()
	for i := range 20 {
		to := filepath.Join(t.TempDir(), "backup.tar")
		if err := backup.Create(t.Context(), store, dir, to, layout); err != nil {
			t.Fatal(err)
		}
		if _, err := backup.Verify(t.Context(), to, layout); err != nil {
			t.Fatalf("backup %d: %v", i, err)
		}
	}
}

func TestVerifyReportsTimeAndNumberOfFiles(t *testing.T) {
	s, err := backup.Verify(t.Context(), create(t), layout)
	if err != nil || s.Files != 5 || time.Since(s.CreatedAt) > time.Minute {
		t.Errorf("%+v, %v; want 5 files of now", s, err)
	}
}

func kindOf(err error) fault.Kind {
	kind, _ := fault.Of(err)
	return kind
}

// sameTree compares two trees apart from the side files of SQLite and locks.
func sameTree(a, b map[string]string) bool {
	side := func(name, _ string) bool {
		return strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm") || strings.HasSuffix(name, ".lock")
	}
	maps.DeleteFunc(a, side)
	maps.DeleteFunc(b, side)
	return maps.Equal(a, b)
}
