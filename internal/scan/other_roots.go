package scan

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"waxwing/internal/catalog"
	"waxwing/internal/library"
)

// hasRoot reports whether the scanner has a root of that name.
func (s *Scanner) hasRoot(root string) bool {
	return slices.ContainsFunc(s.roots, isNamed(root))
}

func isNamed(name string) func(library.Root) bool {
	return func(r library.Root) bool { return r.Name() == name }
}

// UnconfiguredRoots lists the roots that have songs in the catalog but are not roots of this
// scanner.
func (s *Scanner) UnconfiguredRoots(ctx context.Context) ([]string, error) {
	used, err := s.store.RootsInUse(ctx)
	return slices.DeleteFunc(used, s.hasRoot), err
}

// otherRoots are the roots in the catalog that this scan does not have. Their songs stay as they
// are, unless the scan finds the same audio and the file in the other root is missing (the disk
// was renamed) or is the same file (one root contains the other). Such a song has moved.
type otherRoots struct {
	configured []library.Root
	find       func(name string) (library.Root, error) // see FindRoots
	open       map[string]library.Tree                 // nil for a folder that does not exist
}

// FindRoots sets what finds roots by their names in the catalog, for those that are not configured:
// a song may have moved from a bucket of the same storage. By default only folders are found. It
// must be called before the first scan.
func (s *Scanner) FindRoots(find func(name string) (library.Root, error)) { s.find = find }

func findFolder(name string) (library.Root, error) {
	if !filepath.IsAbs(name) {
		return nil, errNoRoot
	}
	return library.NewFolder(name)
}

// isMissing reports whether ref is in another root and certainly missing, or is the same file as
// found.
func (o *otherRoots) isMissing(ctx context.Context, ref, found catalog.FileRef) bool {
	if strings.HasSuffix(ref.Root, ":") || slices.ContainsFunc(o.configured, isNamed(ref.Root)) {
		return false
	}
	if filepath.Join(ref.Root, ref.Path) == filepath.Join(found.Root, found.Path) {
		return true
	}
	t, known := o.open[ref.Root]
	if !known {
		root, err := o.find(ref.Root)
		if err != nil {
			return false
		}
		opened, err := root.Open(ctx)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false
		}
		t = opened
		o.open[ref.Root] = t
	}
	if t == nil {
		return true
	}
	f, err := t.Open(ctx, ref.Path, library.Version{})
	if err == nil {
		_ = f.Close() // opened only to see whether it exists
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
