package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/gofrs/flock"
)

const (
	maxFileSize  = 10 << 20 // the log is rotated before it grows past this
	rotatedFiles = 4        // retained beside the current file; name.1 is the newest
)

// file is the current file of the log. Several processes may append to it: each batch of lines is
// one write with O_APPEND, and the process that finds the file full rotates it for all.
type file struct {
	path  string
	limit int64
	open  *os.File
	torn  bool // the file ends within a line
}

// append writes whole lines. After a failed write, the next append begins on a new line.
func (f *file) append(lines []byte) error {
	if err := f.prepare(int64(len(lines))); err != nil {
		return err
	}
	if f.torn {
		lines = append([]byte{'\n'}, lines...)
	}
	n, err := f.open.Write(lines)
	if err != nil {
		f.torn = n > 0 && lines[n-1] != '\n'
		return fmt.Errorf("write the audit log: %w", err)
	}
	f.torn = false
	return nil
}

// prepare opens the file, reopens it if the path names another file by now, and rotates it if more
// bytes do not fit.
func (f *file) prepare(more int64) error {
	if f.open != nil {
		named, err := os.Stat(f.path)
		held, herr := f.open.Stat()
		if err != nil || herr != nil || !os.SameFile(named, held) { // rotated by another process, or moved
			f.close()
		}
	}
	if f.open == nil {
		if err := f.reopen(); err != nil {
			return err
		}
	}
	info, err := f.open.Stat()
	if err != nil {
		return fmt.Errorf("stat the audit log: %w", err)
	}
	if info.Size() == 0 || info.Size()+more <= f.limit {
		return nil
	}
	return f.rotate()
}

func (f *file) reopen() error {
	if info, err := os.Stat(f.path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("the audit log %s is not a regular file", f.path)
	}
	open, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open the audit log: %w", err)
	}
	f.open, f.torn = open, endsTorn(open)
	return nil
}

// endsTorn reports whether f ends within a line, after a crash or a full disk.
func endsTorn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}

// rotate renames every file to the next number and opens a new one. The lock and the check of the
// size keep two processes from rotating twice.
func (f *file) rotate() error {
	lock := flock.New(f.path+".lock", flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock the audit log: %w", err)
	}
	defer lock.Close()
	f.close()
	if info, err := os.Stat(f.path); err == nil && info.Size() > f.limit/2 {
		for i := rotatedFiles; i > 0; i-- {
			if err := os.Rename(f.rotated(i-1), f.rotated(i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("rotate the audit log: %w", err)
			}
		}
	}
	return f.reopen()
}

// rotated returns the path of the file that was rotated age times; 0 is the current one.
func (f *file) rotated(age int) string {
	if age == 0 {
		return f.path
	}
	return f.path + "." + strconv.Itoa(age)
}

func (f *file) close() {
	if f.open != nil {
		_ = f.open.Close() // nothing is buffered
		f.open = nil
	}
}
