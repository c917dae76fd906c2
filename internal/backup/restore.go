package backup

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// Summary describes a backup.
type Summary struct {
	CreatedAt time.Time
	Files     int
}

// maxManifest limits the manifest, in bytes: the file may be no backup at all.
const maxManifest = 16 << 20

// Verify checks that every member of a backup is present and unchanged and that the catalog in it
// is intact.
func Verify(ctx context.Context, path string, l Layout) (s Summary, err error) {
	work, err := os.MkdirTemp("", "waxwing-verify-*")
	if err != nil {
		return Summary{}, fmt.Errorf("prepare the check: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	return unpack(ctx, path, work, l)
}

// Restore replaces the content of the data folder dir with a backup, after it has verified all of
// it. The files that it replaces are moved to the folder replaced. The caller makes sure that no
// server uses the data folder.
func Restore(ctx context.Context, path, dir string, l Layout) (s Summary, replaced string, err error) {
	work, err := os.MkdirTemp(dir, ".restore-*")
	if err != nil {
		return Summary{}, "", fmt.Errorf("prepare the restore: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if s, err = unpack(ctx, path, work, l); err != nil {
		return s, "", err
	}
	if replaced, err = replacedDir(dir, time.Now()); err != nil {
		return s, "", err
	}
	names := slices.Concat([]string{l.Catalog, l.Catalog + "-wal", l.Catalog + "-shm"}, l.Files, l.Dirs)
	for _, name := range names {
		if err := move(filepath.Join(dir, name), filepath.Join(replaced, name)); err != nil {
			return s, replaced, err
		}
		if err := move(filepath.Join(work, name), filepath.Join(dir, name)); err != nil {
			return s, replaced, err
		}
	}
	return s, replaced, nil
}

// replacedDir creates a folder for the files that a restore replaces; the name is not taken by
// another restore in the same second.
func replacedDir(dir string, at time.Time) (string, error) {
	first := filepath.Join(dir, "before-restore-"+at.UTC().Format("20060102T150405"))
	for name, n := first, 2; ; name, n = fmt.Sprintf("%s-%d", first, n), n+1 {
		err := os.Mkdir(name, 0o700)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("create a folder for the replaced files: %w", err)
		}
	}
}

// move renames a file or folder if it exists.
func move(from, to string) error {
	if _, err := os.Lstat(from); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return nil
}

// unpack writes the members to dir and compares them with the manifest. Names outside of the layout
// are an error.
func unpack(ctx context.Context, path, dir string, l Layout) (Summary, error) {
	f, err := os.Open(path)
	if err != nil {
		return Summary{}, fault.Wrap(fault.NotFound, err, "cannot read the backup")
	}
	defer func() { _ = f.Close() }() // only read
	damaged := func(err error) error {
		return fault.Wrap(fault.Invalid, err, "not a complete backup of Waxwing: it is damaged or another kind of file")
	}
	t := tar.NewReader(f)
	head, err := t.Next()
	if err != nil || head.Name != manifestName {
		return Summary{}, damaged(err)
	}
	var m manifest
	if err := json.NewDecoder(io.LimitReader(t, maxManifest)).Decode(&m); err != nil {
		return Summary{}, damaged(err)
	}
	if m.Format != format {
		return Summary{}, fault.New(fault.Conflict,
			"the backup has format %d and this program reads format %d: use the version that wrote it",
			m.Format, format)
	}
	left := len(m.Files)
	for {
		h, err := t.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return Summary{}, damaged(err)
		}
		if ctx.Err() != nil {
			return Summary{}, ctx.Err()
		}
		want, listed := m.Files[h.Name]
		if !listed || !l.contains(h.Name) {
			return Summary{}, damaged(fmt.Errorf("unexpected member %q", h.Name))
		}
		sum, err := extract(t, filepath.Join(dir, filepath.FromSlash(h.Name)))
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return Summary{}, damaged(err)
		}
		if err != nil {
			return Summary{}, err
		}
		if sum != want {
			return Summary{}, damaged(fmt.Errorf("%s has changed", h.Name))
		}
		left--
	}
	if left != 0 {
		return Summary{}, damaged(fmt.Errorf("%d members are missing", left))
	}
	if err := catalog.Check(ctx, filepath.Join(dir, l.Catalog)); err != nil {
		return Summary{}, err
	}
	return Summary{m.CreatedAt, len(m.Files)}, nil
}

// contains reports whether name is a file of the layout: never a path out of the data folder.
func (l Layout) contains(name string) bool {
	if name == l.Catalog || slices.Contains(l.Files, name) {
		return true
	}
	for _, dir := range l.Dirs {
		rest, ok := strings.CutPrefix(name, dir+"/")
		if ok && rest != "" && filepath.IsLocal(rest) && !strings.ContainsAny(rest, `/\`) {
			return true
		}
	}
	return false
}

// extract writes a member to a new file and returns its SHA-256.
func extract(r io.Reader, path string) (sum string, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("unpack the backup: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("unpack the backup: %w", err)
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, h), r)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", fmt.Errorf("unpack the backup: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
