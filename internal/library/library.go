// Package library is where music files are: in a folder, in a bucket of object storage, or embedded
// in the program. All of them list their files, open one at any offset, and say which version of a
// file is there.
package library

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"
)

// Root is a place with music.
type Root interface {
	// Name is the name of the root in the catalog.
	Name() string
	// Dir is the path of a folder on this machine; "" for everything else.
	Dir() string
	// Open opens the root. It fails if the root is unavailable now.
	Open(ctx context.Context) (Tree, error)
}

// Tree is an open root, or a folder below one. Nothing in it leads outside, even if links are
// created while it is open.
type Tree interface {
	// List returns the entries of a folder in any order; "." is the tree itself.
	List(ctx context.Context, dir string) ([]Entry, error)
	// Sub opens a folder as a tree of its own, which makes opening many files in it cheap.
	Sub(dir string) (Tree, error)
	// Open opens a regular file; anything else is ErrNotRegular. The end of ctx ends reads. A known
	// version is that of a listing; the file is ErrChanged if it has another one by now. The zero
	// Version opens any.
	Open(ctx context.Context, name string, known Version) (File, error)
	Close() error
}

// Walker is a Tree that lists its folders fastest in the order of a walk.
type Walker interface {
	Tree
	// Walk returns a function that lists folders. It must be called in the order of a walk: a folder
	// before those in it, and by the bytes of their paths; folders may be left out. After an error,
	// all later calls fail. end releases what the walk holds.
	Walk(ctx context.Context) (list func(dir string) ([]Entry, error), end func())
}

// Remote is a Root on other machines.
type Remote interface {
	Root
	// OpenStream opens a file that is sent to a client. span is the Range header of the client, or "":
	// these bytes are requested first. With later, only the version is requested before a Read.
	OpenStream(ctx context.Context, path, span string, later bool) (Stream, error)
	// Presign returns a URL with which anybody can read a file for a while.
	Presign(ctx context.Context, path, contentType string, lifetime time.Duration) (string, error)
	// Check returns an error that says why the root is unavailable.
	Check(ctx context.Context) error
	// Health returns the time of the last request and its failure, nil if it succeeded.
	Health() (at time.Time, failure error)
	// Stats returns the requests so far.
	Stats() Stats
	Close()
}

// Stats are the requests of this process to a Remote.
type Stats struct {
	Lists, Gets, Heads int64 // requests sent, with repetitions
	Failures           int64 // of those, without a reply, or with a 5xx
	Denied             int64 // of those, denied
	Bytes              int64 // of files, in replies that began
}

// Stream is an open file of a Remote.
type Stream interface {
	io.ReadSeekCloser
	ETag() string // with quotes
	Version() Version
}

// Version distinguishes the contents that a file has had at one path. Two versions are compared
// with the precision of the catalog, by Equal.
type Version struct {
	Size int64
	// ModTime is when the file was changed. Below the second, that of an object in a bucket is derived
	// from its ETag.
	ModTime time.Time
}

// Equal reports whether v and w are the same version.
func (v Version) Equal(w Version) bool {
	return v.Size == w.Size && v.ModTime.UnixMicro() == w.ModTime.UnixMicro()
}

// Entry is one name in a folder.
type Entry struct {
	Name string
	Mode fs.FileMode // only the type bits
	Version
}

// File is an open regular file.
type File interface {
	io.ReadSeekCloser
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

var (
	// ErrNotRegular is returned for pipes, devices and the like.
	ErrNotRegular = errors.New("not a regular file")
	// ErrChanged is returned for a file that has changed since it was listed.
	ErrChanged = errors.New("the file has changed")
)
