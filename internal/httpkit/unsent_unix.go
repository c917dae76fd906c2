//go:build linux || darwin

package httpkit

import (
	"net"

	"golang.org/x/sys/unix"
)

// setTCP sets an option of a connection. Without it only memory is lost, and one that is gone says so at the next write.
func setTCP(c *net.TCPConn, option, value int) {
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, option, value) })
}
