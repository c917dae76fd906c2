// Package backup stores what a server cannot recreate in one file: the catalog, the hashes of the
// tokens, the player's queue and uploaded pictures. It works while the server runs.
//
// A backup is a tar archive. Its first member lists all others with their SHA-256.
package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// Layout lists what is backed up, relative to the data folder.
type Layout struct {
	Catalog string   // the SQLite file
	Files   []string // single files; missing ones are skipped
	Dirs    []string // folders, with the regular files directly in them
}

// manifestName is the first member of every backup.
const manifestName = "waxwing-backup.json"

// format is the version of the archive's layout.
const format = 1

// manifest describes a backup.
type manifest struct {
	Format    int               `json:"format"`
	CreatedAt time.Time         `json:"created_at"`
	Files     map[string]string `json:"files"` // SHA-256 by name
}

// Create writes a backup of the data folder dir to the file to, which must not exist. It copies a
// snapshot of the catalog and of each file, so that a running server cannot change them meanwhile.
func Create(ctx context.Context, store *catalog.Store, dir, to string, l Layout) (err error) {
	work, err := os.MkdirTemp(filepath.Dir(to), ".backup-*")
	if err != nil {
		return fmt.Errorf("prepare the backup: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	sources := map[string]string{l.Catalog: filepath.Join(work, "catalog")}
	if err := store.Backup(ctx, sources[l.Catalog]); err != nil {
		return err
	}
	for i, name := range l.Files {
		snapshot := filepath.Join(work, fmt.Sprintf("file-%d", i))
		err := copyFile(filepath.Join(dir, name), snapshot)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("copy %s: %w", name, err)
		}
		sources[name] = snapshot
	}
	for _, sub := range l.Dirs {
		entries, err := os.ReadDir(filepath.Join(dir, sub))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read %s: %w", sub, err)
		}
		for _, e := range entries {
			if e.Type().IsRegular() {
				sources[sub+"/"+e.Name()] = filepath.Join(dir, sub, e.Name())
			}
		}
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fault.Wrap(fault.Conflict, err,
			"cannot create the backup: choose a file that does not exist yet in a folder that does")
	}
	defer func() {
		if err != nil {
			_ = os.Remove(to) // an incomplete backup is useless
		}
	}()
	if err := pack(out, sources); err != nil {
		_ = out.Close() // removed above
		return err
	}
	return errors.Join(out.Sync(), out.Close())
}

// copyFile copies a file that another process may replace or append to.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// pack writes the manifest and every source, in the order of their names.
func pack(w io.Writer, sources map[string]string) error {
	m := manifest{Format: format, CreatedAt: time.Now().UTC(), Files: map[string]string{}}
	sizes := map[string]int64{}
	names := slices.Sorted(maps.Keys(sources))
	for _, name := range names {
		sum, size, err := digest(sources[name])
		if err != nil {
			return err
		}
		m.Files[name], sizes[name] = sum, size
	}
	head, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the manifest: %w", err)
	}
	t := tar.NewWriter(w)
	if err := member(t, manifestName, int64(len(head)), bytes.NewReader(head)); err != nil {
		return err
	}
	for _, name := range names {
		f, err := os.Open(sources[name])
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		err = errors.Join(member(t, name, sizes[name], f), f.Close())
		if err != nil {
			return err
		}
	}
	return t.Close()
}

func digest(path string) (sum string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, fmt.Errorf("read for the backup: %w", err)
	}
	defer func() { _ = f.Close() }() // only read
	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// member writes one member of the archive.
func member(t *tar.Writer, name string, size int64, r io.Reader) error {
	if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: time.Now(),
		Format: tar.FormatPAX}); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if _, err := io.Copy(t, r); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
