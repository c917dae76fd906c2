//go:build unix

package output

import (
	"os"
	"syscall"
)

// unbreakable is f under another number. Writing to a pipe without a reader ends the
// whole process when it is done through descriptor 1, and is a mere error elsewhere.
func withoutSIGPIPE(f *os.File) *os.File {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return f
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), f.Name())
}
