package httpkit

import (
	"net"

	"golang.org/x/sys/unix"
)

// limitUnsent makes the kernel buffer no more than about unsentLimit bytes that it cannot send yet,
// and close the connection if the client has taken none of them for a writeWindow. Without that no
// write would fail for a listener that reads nothing, because its events fit into the buffer.
func limitUnsent(c *net.TCPConn) {
	setTCP(c, unix.TCP_NOTSENT_LOWAT, unsentLimit)
	setTCP(c, unix.TCP_USER_TIMEOUT, int(writeWindow.Milliseconds()))
}
