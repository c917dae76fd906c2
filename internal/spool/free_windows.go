package spool

import (
	"cmp"
	"os"

	"golang.org/x/sys/windows"
)

// FreeSpace returns how many bytes this account can write to the disk of a folder; "": the system's
// temporary folder. ok is false if that is unknown.
func FreeSpace(dir string) (bytes int64, ok bool) {
	name, err := windows.UTF16PtrFromString(cmp.Or(dir, os.TempDir()))
	if err != nil {
		return 0, false
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return int64(min(free, 1<<62)), err == nil
}
