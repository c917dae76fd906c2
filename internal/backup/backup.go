// Package backup puts all that cannot be made again into one file: the catalog, the tokens' hashes, the
// player's queue and the pictures that users gave. It works while the server runs.
//
// A backup is a tar archive. Its first member lists every other with its SHA-256, so that it can be verified without
// being unpacked.
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
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// Layout names what is kept, relative to the data folder.
type Layout struct {
	Catalog string   // the SQLite file
	Files   []string // single files; those that are not there are left out
	Dirs    []string // folders, with all regular files in them
}

// manifestName is the first member of every backup.
const manifestName = "waxwing-backup.json"

// manifest says what a backup holds.
type manifest struct {
	Format    int               `json:"format"`
	CreatedAt time.Time         `json:"created_at"`
	Files     map[string]string `json:"files"` // SHA-256 by name
}

// Create writes a backup of the data folder dir to the file to, which must not exist. The catalog is copied as of one moment.
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
	for _, name := range l.Files {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			sources[name] = filepath.Join(dir, name)
		}
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
		return fault.Wrap(fault.Conflict, err, "the backup cannot be written there: choose a file that does not exist yet")
	}
	defer func() {
		if err != nil {
			_ = os.Remove(to) // half a backup is worse than none
		}
	}()
	if err := pack(out, sources); err != nil {
		_ = out.Close() // removed above
		return err
	}
	return errors.Join(out.Sync(), out.Close())
}

// pack reads every source into memory-free members; what grows meanwhile, like a journal, is cut at its size.
func pack(w io.Writer, sources map[string]string) error {
	m := manifest{Format: 1, CreatedAt: time.Now().UTC(), Files: map[string]string{}}
	sizes := map[string]int64{}
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range sources {
			if !yield(name) {
				return
			}
		}
	})
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
	if err := member(t, manifestName, int64(len(head)), strings.NewReader(string(head))); err != nil {
		return err
	}
	for _, name := range names {
		f, err := os.Open(sources[name])
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		err = errors.Join(member(t, name, sizes[name], io.LimitReader(f, sizes[name])), f.Close())
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

func member(t *tar.Writer, name string, size int64, r io.Reader) error {
	if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: time.Now(), Format: tar.FormatPAX}); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if _, err := io.Copy(t, r); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
