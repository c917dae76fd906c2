package httpkit

import (
	"net"

	"golang.org/x/sys/unix"
)

// holdBack lets the system take no more than about unsentLimit bytes that it cannot send yet, and has it end the
// connection when the client has taken none of them for a writeWindow. Events are so small that hundreds fit into the
// system's memory: no write of ours would wait for a listener that reads nothing, and none would ever fail.
func holdBack(c *net.TCPConn) {
	setTCP(c, unix.TCP_NOTSENT_LOWAT, unsentLimit)
	setTCP(c, unix.TCP_USER_TIMEOUT, int(writeWindow.Milliseconds()))
}
