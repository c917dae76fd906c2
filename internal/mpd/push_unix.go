//go:build unix

package mpd

import "syscall"

// tryWrite writes what the system takes without waiting, and returns how much; 0 or less: nothing.
func tryWrite(raw syscall.RawConn, b []byte) (n int) {
	if raw.Control(func(fd uintptr) { n, _ = syscall.Write(int(fd), b) }) != nil {
		return 0
	}
	return n
}
