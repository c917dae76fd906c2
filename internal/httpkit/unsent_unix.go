//go:build linux || darwin

package httpkit

import (
	"net"

	"golang.org/x/sys/unix"
)

// holdBack lets the system take no more than about unsentLimit bytes that it cannot send yet.
func holdBack(c *net.TCPConn) {
	raw, err := c.SyscallConn()
	if err != nil {
		return // the connection is gone, and the next write says so
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsentLimit) // without it only memory is lost
	})
}
