package catalog

import (
	"os"
	"path/filepath"
	"strings"
)

// private is the mode of every file with rows: hashes of keys, the signing key, listening
// histories.
const private = 0o600

// makePrivate removes the permissions of other accounts from the SQLite catalog at path. It creates
// a missing file, because the engine would make it readable for all; the engine's other files get
// the same mode. Errors are ignored: the engine reports them, or the file belongs to another
// account.
//
// An existing file is not opened: closing it would drop the POSIX locks that the engine holds on
// it.
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

// isCatalogFile reports whether a file belongs to the catalog, by what follows the catalog's name.
func isCatalogFile(rest string) bool {
	switch rest {
	case "", "-wal", "-shm", "-journal":
		return true
	}
	return strings.HasPrefix(rest, backupInfix)
}

// resolved follows symbolic links, including one to a missing file, as the engine does.
func resolved(path string) string {
	const most = 16 // more are a loop, which the engine reports
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
