//go:build linux || darwin

package spool

import (
	"cmp"
	"os"
	"syscall"
)

// FreeSpace returns how many bytes this account can write to the disk of a folder; "": the system's
// temporary folder. ok is false if that is unknown.
func FreeSpace(dir string) (bytes int64, ok bool) {
	var s syscall.Statfs_t
	if syscall.Statfs(cmp.Or(dir, os.TempDir()), &s) != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
