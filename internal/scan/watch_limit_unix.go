//go:build unix

package scan

import (
	"errors"
	"syscall"
)

// isWatchLimit reports whether the system's limit of watched folders is reached.
func isWatchLimit(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
