package httpkit

import (
	"net"

	"golang.org/x/sys/unix"
)

// holdBack lets the system take no more than about unsentLimit bytes that it cannot send yet.
func holdBack(c *net.TCPConn) { setTCP(c, unix.TCP_NOTSENT_LOWAT, unsentLimit) }
