//go:build !linux && !darwin && !windows

package spool

// FreeSpace reports that the free space is unknown.
func FreeSpace(string) (bytes int64, ok bool) { return 0, false }
