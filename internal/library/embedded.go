package library

import (
	"context"
	"errors"
	"io/fs"
	"path"
)

// Embedded is a root of files embedded in the program.
type Embedded struct {
	name string
	fsys fs.FS
}

// NewEmbedded returns a root of embedded files. The colon at the end of its name distinguishes it
// from a folder.
func NewEmbedded(name string, fsys fs.FS) Embedded { return Embedded{name + ":", fsys} }

// Name implements Root.
func (e Embedded) Name() string { return e.name }

// Dir implements Root.
func (e Embedded) Dir() string { return "" }

// Open implements Root.
func (e Embedded) Open(context.Context) (Tree, error) { return embeddedTree{e.fsys}, nil }

type embeddedTree struct{ fsys fs.FS }

func (e embeddedTree) List(_ context.Context, dir string) ([]Entry, error) {
	found, err := fs.ReadDir(e.fsys, dir)
	if err != nil {
		return nil, err
	}
	out := make([]Entry, 0, len(found))
	for _, d := range found {
		info, err := d.Info()
		if err != nil {
			return nil, err
		}
		out = append(out, Entry{d.Name(), info.Mode().Type(), Version{info.Size(), info.ModTime()}})
	}
	return out, nil
}

func (e embeddedTree) Sub(dir string) (Tree, error) {
	sub, err := fs.Sub(e.fsys, path.Clean(dir))
	if err != nil {
		return nil, err
	}
	return embeddedTree{sub}, nil
}

func (e embeddedTree) Open(_ context.Context, name string, _ Version) (File, error) {
	opened, err := e.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	f, ok := opened.(File)
	if !ok {
		return nil, errors.Join(ErrNotRegular, opened.Close())
	}
	return regular(f)
}

func (e embeddedTree) Close() error { return nil }
