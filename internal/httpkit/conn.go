package httpkit

import (
	"net"
	"sync"
)

// listener hands out connections that can send an answer whole.
type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &conn{TCPConn: tcp}, nil
	}
	return c, err
}

// conn is a connection of the server. net/http sends an answer that does not fit into its own
// buffer in two writes: one full buffer, which begins with the headers, and what is left. Each
// wakes the client and costs a packet; conn makes one of them.
type conn struct {
	*net.TCPConn
	whole bool    // the next write is the first of two
	first *[]byte // held back until the second comes
}

// firstWrite is the size of net/http's buffer. An answer with a body of at least so many bytes
// takes two writes.
const firstWrite = 4 << 10

var firstWrites = sync.Pool{New: func() any { return new(make([]byte, 0, firstWrite)) }}

// expectTwo makes one of the next two writes.
func (c *conn) expectTwo() { c.whole = true }

func (c *conn) Write(b []byte) (int, error) {
	if c.first != nil {
		return c.writeBoth(b)
	}
	if c.whole && len(b) <= firstWrite {
		c.first = firstWrites.Get().(*[]byte)
		*c.first = append((*c.first)[:0], b...)
		return len(b), nil
	}
	c.whole = false
	return c.TCPConn.Write(b)
}

func (c *conn) writeBoth(b []byte) (int, error) {
	first := c.first
	c.first, c.whole = nil, false
	both := net.Buffers{*first, b}
	sent, err := both.WriteTo(c.TCPConn)
	sent -= int64(len(*first))
	firstWrites.Put(first)
	return int(max(0, sent)), err
}
