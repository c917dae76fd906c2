package scan

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Root is a source of music: a folder on disk, or files embedded in the program.
type Root struct {
	name string
	dir  string
	fsys fs.FS
}

// Folder returns the root of a folder on disk. It need not exist: a disk may be mounted later.
func Folder(dir string) (Root, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Root{}, fmt.Errorf("resolve music folder %s: %w", dir, err)
	}
	return Root{name: abs, dir: abs}, nil
}

// Embedded returns a root of embedded files. The colon at the end of its name distinguishes it
// from a folder.
func Embedded(name string, fsys fs.FS) Root { return Root{name: name + ":", fsys: fsys} }

// Name is the name of the root in the catalog.
func (r Root) Name() string { return r.name }

// tree is an open root, or a folder below one. No link in it leads outside, even if links are
// created while it is open.
type tree interface {
	// list returns the entries of a folder; "." is the tree itself.
	list(dir string) ([]entry, error)
	// sub opens a folder as a tree of its own, which makes opening many files in it cheap.
	sub(dir string) (tree, error)
	// open opens a regular file; anything else is errNotRegular.
	open(name string) (file, error)
	Close() error
}

// file is an open regular file.
type file interface {
	io.ReadSeekCloser
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// errNotRegular is returned for pipes, devices and the like.
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
			continue // removed since ReadDir
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

// regular returns f, or closes it if it is not a regular file.
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

// embedded is a tree of files embedded in the program.
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
