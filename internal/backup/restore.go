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

// Summary is what a backup holds.
type Summary struct {
	CreatedAt time.Time
	Files     int
}

// maxManifest bounds what is read before anything is known of a file that may be no backup at all.
const maxManifest = 16 << 20

// Verify reads a backup through: every member is there, unchanged, and the catalog in it is whole.
func Verify(ctx context.Context, path string, l Layout) (s Summary, err error) {
	work, err := os.MkdirTemp("", "waxwing-verify-*")
	if err != nil {
		return Summary{}, fmt.Errorf("prepare the check: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	return unpack(ctx, path, work, l)
}

// Restore puts a backup in the place of what the data folder holds. What it replaces is kept beside it under a name that
// Restore returns. The server must not be running.
func Restore(ctx context.Context, path, dir string, l Layout) (s Summary, kept string, err error) {
	work, err := os.MkdirTemp(dir, ".restore-*")
	if err != nil {
		return Summary{}, "", fmt.Errorf("prepare the restore: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if s, err = unpack(ctx, path, work, l); err != nil {
		return s, "", err
	}
	if kept, err = keep(dir, time.Now()); err != nil {
		return s, "", err
	}
	names := slices.Concat([]string{l.Catalog, l.Catalog + "-wal", l.Catalog + "-shm"}, l.Files, l.Dirs)
	for _, name := range names {
		if err := move(filepath.Join(dir, name), filepath.Join(kept, name)); err != nil {
			return s, kept, err
		}
		if err := move(filepath.Join(work, name), filepath.Join(dir, name)); err != nil {
			return s, kept, err
		}
	}
	return s, kept, nil
}

// keep makes the folder for what a restore at that time replaces; another one may have been made in the same second.
func keep(dir string, at time.Time) (string, error) {
	first := filepath.Join(dir, "before-restore-"+at.UTC().Format("20060102T150405"))
	for name, n := first, 2; ; name, n = fmt.Sprintf("%s-%d", first, n), n+1 {
		err := os.Mkdir(name, 0o700)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("keep what is there: %w", err)
		}
	}
}

// move renames a file or folder if it is there.
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

// unpack writes the members to dir and checks them against the manifest. Only names that the layout knows are written.
func unpack(ctx context.Context, path, dir string, l Layout) (Summary, error) {
	f, err := os.Open(path)
	if err != nil {
		return Summary{}, fault.Wrap(fault.NotFound, err, "the backup cannot be read")
	}
	defer func() { _ = f.Close() }() // only read
	damaged := func(err error) error {
		return fault.Wrap(fault.Invalid, err, "this is not a whole backup of Waxwing")
	}
	t := tar.NewReader(f)
	head, err := t.Next()
	if err != nil || head.Name != manifestName {
		return Summary{}, damaged(err)
	}
	var m manifest
	if err := json.NewDecoder(io.LimitReader(t, maxManifest)).Decode(&m); err != nil || m.Format != 1 {
		return Summary{}, damaged(err)
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
		if !listed || !l.knows(h.Name) {
			return Summary{}, damaged(fmt.Errorf("unexpected member %q", h.Name))
		}
		sum, err := extract(t, filepath.Join(dir, filepath.FromSlash(h.Name)))
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

// knows reports whether a member may be written under that name.
func (l Layout) knows(name string) bool {
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
