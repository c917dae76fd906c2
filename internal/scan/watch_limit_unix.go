//go:build unix

package scan

import (
	"errors"
	"syscall"
)

// isWatchLimit reports whether the system refuses to watch any more folders.
func isWatchLimit(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
