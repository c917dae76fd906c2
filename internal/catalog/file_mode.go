package catalog

import (
	"os"
	"path/filepath"
	"strings"
)

// private is the mode of every file that holds rows: hashes of keys, the key that signs links, what people listened to.
const private = 0o600

// makePrivate sees to it that no other account reads the SQLite catalog at path, wherever it lies. A file that is not there
// is made, empty, before the engine would make it for everybody; what the engine puts beside it takes its mode. Files
// that an earlier release left open to others are closed to them.
//
// A file that exists is not opened for this: closing it again would drop the locks that this process holds on it through
// the engine. What cannot be done is left to the engine to complain about, or is not ours to change: a disk without
// modes, a file of another account.
func makePrivate(path string) {
	path = resolved(path)
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, private); err == nil {
		_ = f.Close() // nothing was written
		return
	}
	dir, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), name)
		if !ours || !isCatalogFile(rest) {
			continue
		}
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 && ownedByUs(info) {
			_ = os.Chmod(filepath.Join(dir, e.Name()), private) // see above
		}
	}
}

// isCatalogFile tells by the end of a file's name whether it belongs to the catalog whose name it begins with.
func isCatalogFile(rest string) bool {
	switch rest {
	case "", "-wal", "-shm", "-journal":
		return true
	}
	return strings.HasPrefix(rest, backupInfix)
}

// resolved follows links, also one to a file that is not there yet, as the engine will.
func resolved(path string) string {
	const most = 16 // then it is a circle, and the engine says so
	for range most {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}
