package httpkit

import (
	"net"
	"sync"
)

// listener accepts connections that can send a reply in one packet.
type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &conn{TCPConn: tcp}, nil
	}
	return c, err
}

// conn is a connection of the server. net/http sends a reply that does not fit into its own buffer
// in two writes: one full buffer, which begins with the headers, and the rest. Each write wakes the
// client and costs a packet; conn combines them.
type conn struct {
	*net.TCPConn
	combine bool    // the next write is the first of two
	first   *[]byte // kept until the second write
}

// firstWrite is the size of net/http's buffer. A reply with a body of at least this many bytes
// takes two writes.
const firstWrite = 4 << 10

var firstWrites = sync.Pool{New: func() any { return new(make([]byte, 0, firstWrite)) }}

// expectTwo combines the next two writes.
func (c *conn) expectTwo() { c.combine = true }

func (c *conn) Write(b []byte) (int, error) {
	if c.first != nil {
		return c.writeBoth(b)
	}
	if c.combine && len(b) <= firstWrite {
		c.first = firstWrites.Get().(*[]byte)
		*c.first = append((*c.first)[:0], b...)
		return len(b), nil
	}
	c.combine = false
	return c.TCPConn.Write(b)
}

func (c *conn) writeBoth(b []byte) (int, error) {
	first := c.first
	c.first, c.combine = nil, false
	both := net.Buffers{*first, b}
	sent, err := both.WriteTo(c.TCPConn)
	sent -= int64(len(*first))
	firstWrites.Put(first)
	return int(max(0, sent)), err
}
