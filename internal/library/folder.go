package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Folder is a folder on this machine. Symbolic links are not followed out of it.
type Folder struct{ dir string }

// NewFolder returns the root of a folder. It need not exist: a disk may be mounted later.
func NewFolder(dir string) (Folder, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Folder{}, fmt.Errorf("resolve music folder %s: %w", dir, err)
	}
	return Folder{abs}, nil
}

// Name implements Root.
func (f Folder) Name() string { return f.dir }

// Dir implements Root.
func (f Folder) Dir() string { return f.dir }

// Open implements Root.
func (f Folder) Open(context.Context) (Tree, error) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, fmt.Errorf("open music folder: %w", err)
	}
	return folderTree{root}, nil
}

type folderTree struct{ root *os.Root }

func (f folderTree) List(_ context.Context, dir string) ([]Entry, error) {
	d, err := f.root.OpenFile(filepath.FromSlash(dir), os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	found, err := d.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	out := make([]Entry, 0, len(found))
	for _, e := range found {
		info, err := e.Info()
		if err != nil {
			continue // removed since ReadDir
		}
		out = append(out, Entry{e.Name(), info.Mode().Type(), Version{info.Size(), info.ModTime()}})
	}
	return out, nil
}

func (f folderTree) Sub(dir string) (Tree, error) {
	root, err := f.root.OpenRoot(filepath.FromSlash(dir))
	if err != nil {
		return nil, err
	}
	return folderTree{root}, nil
}

// Open returns the file as it is now: an open file cannot be replaced by another.
func (f folderTree) Open(_ context.Context, name string, _ Version) (File, error) {
	opened, err := f.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	return regular(opened)
}

func (f folderTree) Close() error { return f.root.Close() }

// regular returns f, or closes it if it is not a regular file.
func regular(f File) (File, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
