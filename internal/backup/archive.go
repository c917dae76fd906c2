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
	"maps"
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

// maxManifest limits the head and the manifest, in bytes: the file may be no backup at all.
const maxManifest = 16 << 20

// Verify checks that every member of a backup is present and unchanged and that the catalog in it
// is intact.
func Verify(ctx context.Context, path string, l Layout) (s Summary, err error) {
	work, done, err := newWorkDir(os.TempDir(), "verify")
	if err != nil {
		return Summary{}, err
	}
	defer func() { err = errors.Join(err, done()) }()
	return unpack(ctx, path, work, l)
}

// unpack writes the members to dir, compares them with the manifest and checks the catalog. Names
// outside of the layout are an error. It writes no more bytes than the archive has.
func unpack(ctx context.Context, path, dir string, l Layout) (Summary, error) {
	f, err := os.Open(path)
	if err != nil {
		return Summary{}, fault.Wrap(fault.NotFound, err, "cannot read the backup")
	}
	defer func() { _ = f.Close() }() // only read
	u := unpacker{t: tar.NewReader(f), dir: dir, layout: l, sums: map[string]string{}}
	m, err := u.run(ctx)
	if err != nil {
		return Summary{}, err
	}
	if err := catalog.Check(ctx, filepath.Join(dir, l.Catalog)); err != nil {
		return Summary{}, err
	}
	return Summary{m.CreatedAt, len(m.Files)}, nil
}

// unpacker reads an archive of either format.
type unpacker struct {
	t      *tar.Reader
	dir    string
	layout Layout
	sums   map[string]string // of the members written so far, by name
}

func damaged(err error) error {
	return fault.Wrap(fault.Invalid, err, "not a complete backup of Waxwing: it is damaged or another kind of file")
}

func (u *unpacker) run(ctx context.Context) (manifest, error) {
	h, err := u.next()
	if err != nil || h.Name != headName {
		return manifest{}, damaged(err)
	}
	m, err := u.manifest()
	if err != nil {
		return m, err
	}
	if m.Format != format && m.Format != 1 {
		return m, fault.New(fault.Conflict,
			"the backup has format %d and this program reads formats 1 and %d: use the version that wrote it",
			m.Format, format)
	}
	complete := m.Format == 1
	for {
		h, err := u.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return m, damaged(err)
		}
		if ctx.Err() != nil {
			return m, ctx.Err()
		}
		if complete && m.Format != 1 {
			return m, damaged(fmt.Errorf("member %q after the manifest", h.Name))
		}
		if h.Name == manifestName && m.Format != 1 {
			if m, err = u.manifest(); err != nil {
				return m, err
			}
			complete = true
			continue
		}
		if err := u.write(h); err != nil {
			return m, err
		}
	}
	if !complete || !maps.Equal(m.Files, u.sums) {
		return m, damaged(errors.New("the members are not those of the manifest"))
	}
	return m, nil
}

// next returns the next member. A sparse one is an error: a few bytes of it can stand for
// terabytes.
func (u *unpacker) next() (*tar.Header, error) {
	h, err := u.t.Next()
	if err != nil {
		return nil, err
	}
	if h.Typeflag != tar.TypeReg {
		return nil, fmt.Errorf("member %q is not a regular file", h.Name)
	}
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return nil, fmt.Errorf("member %q is sparse", h.Name)
		}
	}
	return h, nil
}

func (u *unpacker) manifest() (m manifest, err error) {
	if err := json.NewDecoder(io.LimitReader(u.t, maxManifest)).Decode(&m); err != nil {
		return m, damaged(err)
	}
	return m, nil
}

// write writes a member to a new file.
func (u *unpacker) write(h *tar.Header) error {
	if _, twice := u.sums[h.Name]; twice || !u.layout.contains(h.Name) {
		return damaged(fmt.Errorf("unexpected member %q", h.Name))
	}
	sum, err := extract(u.t, filepath.Join(u.dir, filepath.FromSlash(h.Name)))
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged(err)
	}
	u.sums[h.Name] = sum
	return err
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
