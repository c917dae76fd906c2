package scan

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// Root is a place that music is found in: a folder of the disk, or files inside the program.
type Root struct {
	name string
	dir  string
	fsys fs.FS
}

// Folder makes a root of a folder of the disk. It need not exist yet: a disk may be mounted later.
func Folder(dir string) (Root, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Root{}, fmt.Errorf("find music folder %s: %w", dir, err)
	}
	return Root{name: abs, dir: abs}, nil
}

// Embedded makes a root of files that are part of the program. Its name ends in a colon, so that it cannot be
// taken for a folder.
func Embedded(name string, fsys fs.FS) Root { return Root{name: name + ":", fsys: fsys} }

// Name is how the catalog knows the root.
func (r Root) Name() string { return r.name }

// tree is an open root, or a folder below one. Nothing outside of it can be reached through it, whatever
// links there are in it and whenever they are put there.
type tree interface {
	// list returns the entries of a folder; "." is the tree itself.
	list(dir string) ([]entry, error)
	// below opens a folder as a tree of its own, which makes opening many files in it cheap.
	sub(dir string) (tree, error)
	// open opens a regular file, and nothing else.
	open(name string) (file, error)
	Close() error
}

// file is an open regular file.
type file interface {
	io.ReadSeekCloser
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// entry is one name in a folder.
type entry struct {
	name string
	mode fs.FileMode // its type
	size int64
	time time.Time
}

// errNotRegular is returned for what is neither a folder nor a file: opening a pipe or a device may wait for ever.
var errNotRegular = errors.New("not a regular file")

func (r Root) open() (tree, error) {
	if r.fsys != nil {
		return embedded{r.fsys}, nil
	}
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return nil, fmt.Errorf("open music folder: %w", err)
	}
	return folder{root}, nil
}

type folder struct{ root *os.Root }

func (f folder) list(dir string) ([]entry, error) {
	d, err := f.root.OpenFile(filepath.FromSlash(dir), os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	found, err := d.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	out := make([]entry, 0, len(found))
	for _, e := range found {
		info, err := e.Info()
		if err != nil {
			continue // it vanished just now
		}
		out = append(out, entry{e.Name(), info.Mode().Type(), info.Size(), info.ModTime()})
	}
	return out, nil
}

func (f folder) sub(dir string) (tree, error) {
	root, err := f.root.OpenRoot(filepath.FromSlash(dir))
	if err != nil {
		return nil, err
	}
	return folder{root}, nil
}

func (f folder) open(name string) (file, error) {
	opened, err := f.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	return regular(opened)
}

func (f folder) Close() error { return f.root.Close() }

// regular closes what is not a regular file.
func regular(f file) (file, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// embedded is a tree of files inside the program.
type embedded struct{ fsys fs.FS }

func (e embedded) list(dir string) ([]entry, error) {
	found, err := fs.ReadDir(e.fsys, dir)
	if err != nil {
		return nil, err
	}
	out := make([]entry, 0, len(found))
	for _, d := range found {
		info, err := d.Info()
		if err != nil {
			return nil, err
		}
		out = append(out, entry{d.Name(), info.Mode().Type(), info.Size(), info.ModTime()})
	}
	return out, nil
}

func (e embedded) sub(dir string) (tree, error) {
	sub, err := fs.Sub(e.fsys, path.Clean(dir))
	if err != nil {
		return nil, err
	}
	return embedded{sub}, nil
}

func (e embedded) open(name string) (file, error) {
	opened, err := e.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	f, ok := opened.(file)
	if !ok {
		return nil, errors.Join(errNotRegular, opened.Close())
	}
	return regular(f)
}

func (e embedded) Close() error { return nil }
