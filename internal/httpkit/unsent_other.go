//go:build !linux && !darwin

package httpkit

import "net"

// limitUnsent limits the whole send buffer, where the kernel has no limit for unsent bytes.
func limitUnsent(c *net.TCPConn) {
	_ = c.SetWriteBuffer(4 * unsentLimit) // a closed connection fails at the next write
}
