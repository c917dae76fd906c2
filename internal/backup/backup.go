// Package backup stores what a server cannot recreate in one file: the catalog, the hashes of the
// tokens, the player's queue and uploaded pictures. It works while the server runs.
//
// A backup is a tar archive. Its first member states the format. Its last member, the manifest,
// lists all members between them with the SHA-256 of the bytes that were written.
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
	"os"
	"path/filepath"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/statefile"
)

// Layout lists what is backed up, relative to the data folder.
type Layout struct {
	Catalog string   // the SQLite file
	Files   []string // single files; missing ones are skipped
	Dirs    []string // folders, with the regular files directly in them
}

const (
	headName     = "waxwing-backup.json"   // the first member; in format 1 it is also the manifest
	manifestName = "waxwing-manifest.json" // the last member
)

// format is the version of the archive's layout. Format 1 had the manifest in front.
const format = 2

// manifest describes a backup.
type manifest struct {
	Format    int               `json:"format"`
	CreatedAt time.Time         `json:"created_at"`
	Files     map[string]string `json:"files,omitempty"` // SHA-256 by name
}

// Create writes a backup of the data folder dir to the file to, which must not exist. Each file is
// read once, and the manifest has the sums of what was read, so that a running server may change
// them meanwhile. The backup gets its name when it is complete and synced.
func Create(ctx context.Context, store *catalog.Store, dir, to string, l Layout) (err error) {
	if _, err := os.Lstat(to); err == nil {
		return fault.New(fault.Conflict, "%s exists already: choose another file for the backup", to)
	}
	beside := filepath.Dir(to)
	work, done, err := newWorkDir(beside, "backup")
	if err != nil {
		return fault.Wrap(fault.Conflict, err, "cannot create the backup: choose a folder that exists and can be written")
	}
	defer func() { err = errors.Join(err, done()) }()
	snapshot := filepath.Join(work, "catalog")
	if err := store.Backup(ctx, snapshot); err != nil {
		return err
	}
	if err := catalog.Check(ctx, snapshot); err != nil {
		return fmt.Errorf("check the copy of the catalog: %w", err)
	}
	archive := filepath.Join(work, "archive")
	out, err := os.OpenFile(archive, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("create the backup: %w", err)
	}
	err = pack(ctx, out, dir, snapshot, l)
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return err
	}
	if err := publish(archive, to); err != nil {
		return fault.Wrap(fault.Conflict, err, "cannot name the backup: choose a file that does not exist yet")
	}
	return statefile.System.SyncDir(beside)
}

// publish gives a complete file its name, and does not replace another file where links exist.
func publish(from, to string) error {
	if err := os.Link(from, to); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(from, to) // a file system without links
}

// pack writes the head, all members and the manifest.
func pack(ctx context.Context, w io.Writer, dir, snapshot string, l Layout) error {
	p := packer{t: tar.NewWriter(w), m: manifest{Format: format, CreatedAt: time.Now().UTC()}}
	if err := p.addJSON(headName, p.m); err != nil {
		return err
	}
	p.m.Files = map[string]string{}
	if err := p.add(l.Catalog, snapshot); err != nil {
		return err
	}
	for _, name := range l.Files {
		if err := p.addIfExists(name, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	for _, sub := range l.Dirs {
		entries, err := os.ReadDir(filepath.Join(dir, sub))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read %s: %w", sub, err)
		}
		for _, e := range entries {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if !e.Type().IsRegular() {
				continue
			}
			if err := p.addIfExists(sub+"/"+e.Name(), filepath.Join(dir, sub, e.Name())); err != nil {
				return err
			}
		}
	}
	if err := p.addJSON(manifestName, p.m); err != nil {
		return err
	}
	return p.t.Close()
}

// packer writes members and records their sums.
type packer struct {
	t *tar.Writer
	m manifest
}

// addIfExists is add for a file that another process may have removed.
func (p *packer) addIfExists(name, path string) error {
	if err := p.add(name, path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// add writes a file. State files are replaced or appended to, never modified in place, so the
// opened file has at least its first bytes unchanged: those that it has now are written.
func (p *packer) add(name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	sum := sha256.New()
	if err := p.member(name, info.Size(), io.TeeReader(f, sum)); err != nil {
		return err
	}
	p.m.Files[name] = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// addJSON writes a value that is not listed in the manifest.
func (p *packer) addJSON(name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	return p.member(name, int64(len(text)), bytes.NewReader(text))
}

// member writes size bytes of r. Fewer are an error.
func (p *packer) member(name string, size int64, r io.Reader) error {
	err := p.t.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: time.Now(), Format: tar.FormatPAX})
	if err == nil {
		_, err = io.CopyN(p.t, r, size)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
