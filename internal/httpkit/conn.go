package httpkit

import (
	"container/list"
	"net"
	"net/netip"
	"sync"
)

// listener accepts connections that can send a reply in one packet.
type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		tcp, ok := c.(*net.TCPConn)
		if !ok {
			return c, err
		}
		wrapped := &conn{TCPConn: tcp}
		if limited, ok := l.Listener.(*LimitedListener); !ok || limited.admit(wrapped) {
			return wrapped, nil
		}
		wrapped.refuse()
	}
}

// conn is a connection of the server. net/http sends a reply that does not fit into its own buffer
// in two writes: one full buffer, which begins with the headers, and the rest. Each write wakes the
// client and costs a packet; conn combines them.
type conn struct {
	*net.TCPConn
	combine bool    // the next write is the first of two
	first   *[]byte // kept until the second write

	limit   *LimitedListener // nil: none; it protects the fields below
	address netip.Addr       // for its limit; zero if that does not apply
	place   *list.Element    // in the list of those that may be closed for another; nil if it may not
	counted bool
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
