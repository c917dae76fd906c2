//go:build unix

package app

import "syscall"

// openFiles returns how many files this process may open. The Go runtime has raised the limit as
// far as the system allows.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 1024
	}
	return int(min(limit.Cur, 1<<20))
}
