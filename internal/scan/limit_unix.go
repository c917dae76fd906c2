//go:build unix

package scan

import (
	"errors"
	"syscall"
)

// isLimit reports whether the system refuses to watch any more folders.
func isLimit(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
