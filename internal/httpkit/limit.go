package httpkit

import (
	"container/list"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Limits bounds what clients can hold open. 0 is no bound.
type Limits struct {
	Connections int // of one listener
	PerAddress  int // of them from one address or IPv6 /64; proxies and all accounts share loopback
	Requests    int // in progress of one credential; at most three quarters of them may be streams
}

// LimitedListener accepts a bounded number of connections. A new one beyond the bound takes the
// place of the one that has been without an authorized request for the longest time, so idle and
// half-open connections cannot keep others out. If all serve authorized requests, it gets a 503.
type LimitedListener struct {
	net.Listener
	limits Limits
	closed *prometheus.CounterVec
	shared func(netip.Addr) bool // whether an address stands for many clients, and has no limit

	mu        sync.Mutex
	open      int
	byAddress map[netip.Addr]int
	evictable list.List // of *conn; the longest without an authorized request is first
}

// Limit bounds the connections of ln, which is the listener of the named server.
func Limit(ln net.Listener, server string, limits Limits, metrics prometheus.Registerer) *LimitedListener {
	labels := prometheus.Labels{"server": server}
	l := &LimitedListener{
		Listener: ln, limits: limits, byAddress: make(map[netip.Addr]int), shared: netip.Addr.IsLoopback,
		closed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "waxwing_http_connections_closed_total", ConstLabels: labels,
			Help: "Connections closed because of a limit: idle for the longest time, or refused.",
		}, []string{"reason"}),
	}
	for _, reason := range []string{"idle", "refused"} {
		l.closed.WithLabelValues(reason) // a metric is exposed from the start
	}
	metrics.MustRegister(l.closed, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "waxwing_http_connections", Help: "Connections open now.", ConstLabels: labels,
	}, func() float64 {
		l.mu.Lock()
		defer l.mu.Unlock()
		return float64(l.open)
	}))
	return l
}

// admit counts c. If there is no place for it, it closes another connection or refuses c.
func (l *LimitedListener) admit(c *conn) bool {
	c.limit = l
	if remote := Network(c.RemoteAddr().String()); !l.shared(remote) {
		c.address = remote
	}
	l.mu.Lock()
	var evicted *conn
	full := l.limits.Connections > 0 && l.open >= l.limits.Connections
	fullAddress := l.limits.PerAddress > 0 && c.address.IsValid() && l.byAddress[c.address] >= l.limits.PerAddress
	if full || fullAddress {
		if evicted = l.oldest(c.address, fullAddress); evicted == nil {
			l.mu.Unlock()
			l.closed.WithLabelValues("refused").Inc()
			return false
		}
		l.remove(evicted)
	}
	l.open++
	l.byAddress[c.address]++
	c.place = l.evictable.PushBack(c)
	c.counted = true
	l.mu.Unlock()
	if evicted != nil {
		l.closed.WithLabelValues("idle").Inc()
		_ = evicted.TCPConn.Close() // its handler, if it has one, notices
		// In a flood, let handlers read their first request before more connections are accepted.
		// Otherwise the owner's connection may be closed before its credential has been read.
		runtime.Gosched()
	}
	return true
}

// oldest returns the connection that makes room, of that address if only that one is full.
func (l *LimitedListener) oldest(address netip.Addr, sameAddress bool) *conn {
	for e := l.evictable.Front(); e != nil; e = e.Next() {
		if c := e.Value.(*conn); !sameAddress || c.address == address {
			return c
		}
	}
	return nil
}

// remove ends the count of c.
func (l *LimitedListener) remove(c *conn) {
	if !c.counted {
		return
	}
	c.counted = false
	l.open--
	if l.byAddress[c.address]--; l.byAddress[c.address] == 0 {
		delete(l.byAddress, c.address)
	}
	if c.place != nil {
		l.evictable.Remove(c.place)
		c.place = nil
	}
}

// authorized keeps the connection from being closed for another until done is called.
func (c *conn) authorized() (done func()) {
	l := c.limit
	if l == nil {
		return func() {}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.place != nil {
		l.evictable.Remove(c.place)
		c.place = nil
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if c.counted && c.place == nil {
			c.place = l.evictable.PushBack(c)
		}
	}
}

// Close closes the connection and ends its count.
func (c *conn) Close() error {
	if l := c.limit; l != nil {
		l.mu.Lock()
		l.remove(c)
		l.mu.Unlock()
	}
	return c.TCPConn.Close()
}

// tooManyConnections is the reply to a connection for which there is no place.
const tooManyConnections = `{"error":"this server has too many connections; try again later"}`

// refuse replies to a connection that is not admitted. A new connection has room for the reply.
func (c *conn) refuse() {
	_ = c.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = c.TCPConn.Write([]byte("HTTP/1.1 503 Service Unavailable\r\nContent-Type: " + JSONType +
		"\r\nRetry-After: 1\r\nConnection: close\r\n\r\n" + tooManyConnections + "\n"))
	_ = c.TCPConn.Close()
}

// requestCounts counts the requests in progress by credential.
type requestCounts struct {
	limit int // 0: none

	mu   sync.Mutex
	byID map[string]*requestCount
}

type requestCount struct{ all, streams int }

// begin counts a request until done is called. It returns false if the credential has too many.
func (r *requestCounts) begin(caller Caller, kind Kind) (done func(), ok bool) {
	id, limit := caller.ID, r.limit
	if limit == 0 || id == "" {
		return func() {}, true
	}
	if caller.Background {
		limit = max(1, limit*3/4)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.byID[id]
	if n == nil {
		n = &requestCount{}
		if r.byID == nil {
			r.byID = make(map[string]*requestCount)
		}
		r.byID[id] = n
	}
	stream := 0
	if kind == Stream {
		stream = 1
	}
	if n.all >= limit || n.streams+stream > max(1, limit*3/4) {
		return nil, false
	}
	n.all++
	n.streams += stream
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		n.all--
		n.streams -= stream
		if n.all == 0 {
			delete(r.byID, id)
		}
	}, true
}
