package scan

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/library"
)

// fileIn returns the catalog's form of the file e in the folder dir of root. Times have the
// catalog's precision.
func fileIn(root, dir string, e library.Entry) catalog.File {
	return catalog.File{
		FileRef: catalog.FileRef{Root: root, Path: join(dir, e.Name)},
		Size:    e.Size, ModTime: time.UnixMicro(e.ModTime.UnixMicro()),
	}
}

// versionOf returns the version of a file that was listed.
func versionOf(f catalog.File) library.Version {
	return library.Version{Size: f.Size, ModTime: f.ModTime}
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
func compareEntries(a, b library.Entry) int {
	n := min(len(a.Name), len(b.Name))
	if c := cmp.Compare(a.Name[:n], b.Name[:n]); c != 0 {
		return c
	}
	return cmp.Compare(byteAt(a, n), byteAt(b, n))
}

// byteAt returns byte n of the entry's name, '/' after the name of a folder and -1 after that of a
// file.
func byteAt(e library.Entry, n int) int {
	switch {
	case n < len(e.Name):
		return int(e.Name[n])
	case e.Mode.IsDir():
		return '/'
	}
	return -1
}

// bestImage returns the cover image of a folder by imageRank, or nil.
func bestImage(root, dir string, entries []library.Entry) *foundFile {
	best, bestRank := -1, 1<<30
	for i, e := range entries {
		if rank := imageRank(e.Name); rank >= 0 && rank < bestRank && e.Mode == 0 {
			best, bestRank = i, rank
		}
	}
	if best < 0 {
		return nil
	}
	return &foundFile{File: fileIn(root, dir, entries[best])}
}

// reason returns the text of err without the path.
func reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	if kind, sentence := fault.Of(err); kind != fault.Internal {
		return sentence
	}
	return fmt.Sprint(err)
}
