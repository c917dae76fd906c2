package httpkit

import (
	"net"

	"golang.org/x/sys/unix"
)

// limitUnsent makes the kernel buffer no more than about unsentLimit bytes that it cannot send yet.
func limitUnsent(c *net.TCPConn) { setTCP(c, unix.TCP_NOTSENT_LOWAT, unsentLimit) }
