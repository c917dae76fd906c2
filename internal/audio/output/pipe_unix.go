//go:build unix

package output

import (
	"os"
	"syscall"
)

// withoutSIGPIPE duplicates f. Writing to a closed pipe kills the process through descriptor 1, and
// only returns an error through any other.
func withoutSIGPIPE(f *os.File) *os.File {
	fd, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		return f
	}
	syscall.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), f.Name())
}
