//go:build !linux && !darwin

package httpkit

import "net"

// holdBack bounds all that the system holds where it cannot tell what is sent from what is not.
func holdBack(c *net.TCPConn) {
	_ = c.SetWriteBuffer(4 * unsentLimit) // a connection that is gone says so at the next write
}
