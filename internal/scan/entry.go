package scan

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"waxwing/internal/catalog"
)

// entry is one name in a folder.
type entry struct {
	name string
	mode fs.FileMode // only the type bits
	size int64
	time time.Time
}

// in returns the catalog's form of the file e in the folder dir of root. Times have the catalog's
// precision.
func (e entry) in(root, dir string) catalog.File {
	return catalog.File{
		FileRef: catalog.FileRef{Root: root, Path: join(dir, e.name)},
		Size:    e.size, ModTime: time.UnixMicro(e.time.UnixMicro()),
	}
}

// join is path.Join for names that are clean already.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// compareEntries sorts a folder as if its name ended in a slash, so that a walk yields all paths
// in byte order.
func compareEntries(a, b entry) int {
	n := min(len(a.name), len(b.name))
	if c := cmp.Compare(a.name[:n], b.name[:n]); c != 0 {
		return c
	}
	return cmp.Compare(a.byteAt(n), b.byteAt(n))
}

// byteAt returns byte n of the entry's name, '/' after the name of a folder and -1 after that of a
// file.
func (e entry) byteAt(n int) int {
	switch {
	case n < len(e.name):
		return int(e.name[n])
	case e.mode.IsDir():
		return '/'
	}
	return -1
}

// bestImage returns the cover image of a folder by imageRank, or nil.
func bestImage(root, dir string, entries []entry) *foundFile {
	best, bestRank := -1, 1<<30
	for i, e := range entries {
		if rank := imageRank(e.name); rank >= 0 && rank < bestRank && e.mode == 0 {
			best, bestRank = i, rank
		}
	}
	if best < 0 {
		return nil
	}
	return &foundFile{File: entries[best].in(root, dir)}
}

// reason returns the text of err without the path.
func reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return fmt.Sprint(err)
}
