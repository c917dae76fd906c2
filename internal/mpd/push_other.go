//go:build !unix

package mpd

import "syscall"

// tryWrite writes nothing: another goroutine does.
func tryWrite(syscall.RawConn, []byte) int { return 0 }
