//go:build unix

package scan

import "syscall"

// nonBlocking keeps the opening of a pipe, put in the place of a file, from waiting for a writer.
const nonBlocking = syscall.O_NONBLOCK
