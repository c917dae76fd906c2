package statefile

import (
	"errors"
	"io"
	"os"
	"runtime"
)

// Disk has the file operations that writers of state need. It is an interface so that a test can
// simulate a power cut between any two calls; data that was not synced is then lost, in part or in
// whole.
type Disk interface {
	// Create creates an empty file for writing. It fails if the file exists.
	Create(path string, perm os.FileMode) (File, error)
	// Append opens a file for writing at its end.
	Append(path string) (File, error)
	Rename(from, to string) error
	Remove(path string) error
	// SyncDir makes the names in a folder survive a power cut: what was created, renamed or removed.
	SyncDir(dir string) error
}

// File is an open file of a Disk. Sync makes its content, not its name, survive a power cut.
type File interface {
	io.WriteCloser
	Sync() error
}

// System is the disk of the operating system.
var System Disk = system{}

type system struct{}

func (system) Create(path string, perm os.FileMode) (File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(perm); err != nil { // the umask may have cleared bits
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (system) Append(path string) (File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err // not f: a nil *os.File is not a nil File
	}
	return f, nil
}

func (system) Rename(from, to string) error { return os.Rename(from, to) }
func (system) Remove(path string) error     { return os.Remove(path) }

// SyncDir does nothing on Windows, where folders cannot be synced and need not be.
func (system) SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
