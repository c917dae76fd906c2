package scan

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"waxwing/internal/catalog"
)

// names reports whether a folder is one of the scanner's.
func (s *Scanner) hasRoot(root string) bool {
	return slices.ContainsFunc(s.roots, func(r Root) bool { return r.name == root })
}

// UnconfiguredRoots lists the folders that the catalog has songs of and that this scanner was not given.
func (s *Scanner) UnconfiguredRoots(ctx context.Context) ([]string, error) {
	used, err := s.store.RootsInUse(ctx)
	return slices.DeleteFunc(used, func(name string) bool { return s.hasRoot(name) || strings.HasPrefix(name, catalog.MadeRoot) }), err
}

// others are the folders that a scan was not given. It loses none of their songs, but a song that is found in a
// folder of its own, while the file it had in another one is not there, has moved: the disk has another name now. So has
// one whose very file is met, because one of the two folders lies in the other.
type otherRoots struct {
	named []Root
	open  map[string]tree // nil: it is not there
}

func newOtherRoots(named []Root) *otherRoots { return &otherRoots{named, map[string]tree{}} }

// gone reports whether a file of another folder is certainly not there, or is the one that was met.
func (o *otherRoots) isMissing(ref, met catalog.FileRef) bool {
	if !filepath.IsAbs(ref.Root) || slices.ContainsFunc(o.named, func(r Root) bool { return r.name == ref.Root }) {
		return false
	}
	if filepath.Join(ref.Root, ref.Path) == filepath.Join(met.Root, met.Path) {
		return true
	}
	t, known := o.open[ref.Root]
	if !known {
		opened, err := Root{name: ref.Root, dir: ref.Root}.open()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false
		}
		t = opened
		o.open[ref.Root] = t
	}
	if t == nil {
		return true
	}
	f, err := t.open(ref.Path)
	if err == nil {
		_ = f.Close() // only the question counted
		return false
	}
	return errors.Is(err, fs.ErrNotExist)
}

func (o *otherRoots) close() {
	for _, t := range o.open {
		if t != nil {
			_ = t.Close() // nothing was written
		}
	}
}
