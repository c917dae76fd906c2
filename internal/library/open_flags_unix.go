//go:build unix

package library

import "syscall"

// nonBlocking keeps the opening of a named pipe from waiting for a writer.
const nonBlocking = syscall.O_NONBLOCK
