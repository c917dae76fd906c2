package scan

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"sync/atomic"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/library"
)

// guardedTree is a root on other machines, and records when they fail. A file that cannot be read
// then has no problem of its own: what was read of its root since is not stored, and the scan is
// repeated.
type guardedTree struct {
	library.Walker
	failure *atomic.Pointer[error]
}

// guard returns t, guarded if it is on other machines.
func guard(t library.Tree) library.Tree {
	if w, ok := t.(library.Walker); ok {
		return guardedTree{w, new(atomic.Pointer[error])}
	}
	return t
}

// isOutage reports whether err is that of a storage. A file that is denied has a problem of its
// own.
func isOutage(err error) bool {
	kind, _ := fault.Of(err)
	return kind == fault.Unavailable && !errors.Is(err, fs.ErrPermission)
}

// note records an outage.
func (t guardedTree) note(err error) {
	if isOutage(err) {
		t.failure.CompareAndSwap(nil, &err)
	}
}

// Sub implements library.Tree.
func (t guardedTree) Sub(dir string) (library.Tree, error) {
	sub, err := t.Walker.Sub(dir)
	if w, ok := sub.(library.Walker); ok {
		return guardedTree{w, t.failure}, err
	}
	return sub, err
}

// Open implements library.Tree. After a failure, no file is requested.
func (t guardedTree) Open(ctx context.Context, name string, known library.Version) (library.File, error) {
	if failed := t.failure.Load(); failed != nil {
		return nil, *failed
	}
	f, err := t.Walker.Open(ctx, name, known)
	if err != nil {
		t.note(err)
		return nil, err
	}
	return guardedFile{f, t}, nil
}

type guardedFile struct {
	library.File
	tree guardedTree
}

// Read implements io.Reader.
func (f guardedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.note(err)
	return n, err
}

// ReadAt implements io.ReaderAt.
func (f guardedFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.File.ReadAt(p, off)
	f.note(err)
	return n, err
}

func (f guardedFile) note(err error) {
	if err != nil && !errors.Is(err, io.EOF) {
		f.tree.note(err)
	}
}

// Buffered returns the bytes from off that can be read without a request.
func (f guardedFile) Buffered(off int64) []byte {
	if b, ok := f.File.(interface{ Buffered(off int64) []byte }); ok {
		return b.Buffered(off)
	}
	return nil
}

// failed reports whether a root became unavailable while its files were read.
func (r *run) failed(root string) bool {
	t, ok := r.trees[root].(guardedTree)
	return ok && t.failure.Load() != nil
}

// dropFailed forgets what depends on the roots that became unavailable, and adds them to the
// report. While it is unknown what is in one root, no song of any is missing: it may have moved
// there.
func (r *run) dropFailed() {
	for _, root := range r.roots {
		if r.failed(root.Name()) {
			err := *r.trees[root.Name()].(guardedTree).failure.Load()
			r.found.addUnavailable(r.log, root.Name(), reason(err))
			r.incomplete = true
		}
	}
	r.report.Unavailable = r.found.unavailable
	if r.incomplete {
		r.found.vanished = nil
	}
	inFailed := func(f catalog.File) bool { return r.failed(f.Root) }
	r.found.companions = slices.DeleteFunc(r.found.companions, inFailed)
	r.found.playlists = slices.DeleteFunc(r.found.playlists, func(f foundFile) bool { return inFailed(f.File) })
}
