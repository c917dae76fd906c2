package httpkit

import (
	"container/list"
	"net"
	"net/netip"
)

// listener accepts connections that its limits, if it has any, admit.
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

// conn is a TCP connection of the server.
type conn struct {
	*net.TCPConn

	limit   *LimitedListener // nil: none; it protects the fields below
	address netip.Addr       // for its limit; zero if that does not apply
	place   *list.Element    // in the list of those that may be closed for another; nil if it may not
	counted bool
}
