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
	maxFileSize  = 10 << 20 // of one file, after which a new one is begun
	rotatedFiles = 4        // files before the current one: name.1 is the newest of them
)

// file is the end of the log. Several processes may append to one log: each line is one write to
// a file opened for appending, and whoever finds the file full begins the next one for all.
type file struct {
	path  string
	limit int64
	open  *os.File
	torn  bool // the last write left half a line behind
}

// append writes whole lines, all or as much of them as the disk takes.
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

// ready sees to it that the open file is the one of that name, and that it has room.
func (f *file) prepare(more int64) error {
	if f.open != nil {
		named, err := os.Stat(f.path)
		held, herr := f.open.Stat()
		if err != nil || herr != nil || !os.SameFile(named, held) { // another process, or a person, moved it away
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
		return fmt.Errorf("measure the audit log: %w", err)
	}
	if info.Size() == 0 || info.Size()+more <= f.limit {
		return nil
	}
	return f.rotate()
}

func (f *file) reopen() error {
	if info, err := os.Stat(f.path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("the audit log %s is not a plain file", f.path)
	}
	open, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open the audit log: %w", err)
	}
	f.open, f.torn = open, endsTorn(open)
	return nil
}

// endsTorn reports whether whoever wrote last was cut off within a line.
func endsTorn(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}

// rotate moves every file of the log one further and begins a new one. The lock keeps two processes
// from doing it twice.
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
				return fmt.Errorf("begin a new audit log: %w", err)
			}
		}
	}
	return f.reopen()
}

// older names the file of that age; 0 is the current one.
func (f *file) rotated(age int) string {
	if age == 0 {
		return f.path
	}
	return f.path + "." + strconv.Itoa(age)
}

func (f *file) close() {
	if f.open != nil {
		_ = f.open.Close() // every line went out with its own write
		f.open = nil
	}
}
