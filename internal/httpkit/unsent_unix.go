//go:build linux || darwin

package httpkit

import (
	"net"

	"golang.org/x/sys/unix"
)

// setTCP sets an option of a connection. Errors are ignored: a closed connection fails at the next
// write, and without the option the connection only uses more memory.
func setTCP(c *net.TCPConn, option, value int) {
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, option, value) })
}
