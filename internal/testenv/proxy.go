package testenv

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// Proxy is a loopback TCP proxy that can delay, drop and break connections like a bad network. It
// closes all connections at the end of the test.
type Proxy struct {
	t        testing.TB
	target   string
	listener net.Listener
	running  sync.WaitGroup
	done     chan struct{}

	mu        sync.Mutex
	changed   *sync.Cond // a field below changed
	latency   time.Duration
	blackhole bool
	cut       bool
	ended     bool
	links     map[*link]struct{}
	accepted  int // connections so far
}

// link is a client's connection and the proxy's connection to the target for it.
type link struct{ client, server net.Conn }

// NewProxy starts a proxy in front of target ("127.0.0.1:5432"), which passes everything through.
func NewProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{t: t, target: target, listener: ln, done: make(chan struct{}), links: make(map[*link]struct{})}
	p.changed = sync.NewCond(&p.mu)
	p.running.Go(p.accept)
	t.Cleanup(p.stop)
	return p
}

// Addr returns the address that clients connect to.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Links returns the number of open connections and of all connections so far.
func (p *Proxy) Links() (open, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links), p.accepted
}

// Latency delays all data by d in each direction from now on.
func (p *Proxy) Latency(d time.Duration) { p.set(func() { p.latency = d }) }

// Reset breaks every open connection with a TCP reset. New connections are unaffected.
func (p *Proxy) Reset() { p.breakAll() }

// Blackhole drops all data without notice, in both directions, including connects and closes, as on
// half-open connections. Switching it off resets those connections, because their data is lost.
func (p *Proxy) Blackhole(on bool) {
	p.set(func() { p.blackhole = on })
	if !on {
		p.breakAll()
	}
}

// Cut breaks every connection and refuses new ones with a reset, until Restore.
func (p *Proxy) Cut() {
	p.set(func() { p.cut = true })
	p.breakAll()
}

// Restore ends Cut.
func (p *Proxy) Restore() { p.set(func() { p.cut = false }) }

func (p *Proxy) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	p.changed.Broadcast()
}

func (p *Proxy) breakAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.reset()
	}
}

func (p *Proxy) stop() {
	p.set(func() { p.ended = true })
	close(p.done)
	_ = p.listener.Close() // ends accept
	p.breakAll()
	p.running.Wait()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		l := &link{client: client}
		p.mu.Lock()
		p.accepted++
		refuse := p.cut || p.ended
		if !refuse {
			p.links[l] = struct{}{}
		}
		p.mu.Unlock()
		if refuse {
			l.reset()
			continue
		}
		p.running.Go(func() { p.carry(l) })
	}
}

// carry connects a client with the target and copies in both directions until either side ends.
func (p *Proxy) carry(l *link) {
	defer p.remove(l)
	if !p.waitOpen() {
		return
	}
	server, err := net.DialTimeout("tcp", p.target, 10*time.Second)
	if err != nil {
		l.reset()
		return
	}
	p.mu.Lock()
	l.server = server
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { p.copy(l, server, l.client) })
	both.Go(func() { p.copy(l, l.client, server) })
	both.Wait()
}

// waitOpen waits while data is dropped and reports whether new connections are accepted. If the
// client gave up meanwhile, the first read fails.
func (p *Proxy) waitOpen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.blackhole && !p.ended {
		p.changed.Wait()
	}
	return !p.ended && !p.cut
}

func (p *Proxy) reset(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.reset()
}

func (p *Proxy) remove(l *link) {
	p.reset(l)
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
}

// packet is data on its way and the time it arrives. The end of the stream has no bytes.
type packet struct {
	bytes []byte
	at    time.Time
}

// copy carries one direction. It keeps reading while packets wait, as on a long wire, so that
// latency does not limit bandwidth.
func (p *Proxy) copy(l *link, to, from net.Conn) {
	wire := make(chan packet, 256)
	var reader sync.WaitGroup
	reader.Go(func() {
		defer close(wire)
		for {
			buf := make([]byte, 16<<10)
			n, err := from.Read(buf)
			p.mu.Lock()
			at, dropped := time.Now().Add(p.latency), p.blackhole
			p.mu.Unlock()
			if n > 0 && !dropped {
				wire <- packet{buf[:n], at}
			}
			if err != nil {
				switch {
				case dropped:
				case err == io.EOF:
					wire <- packet{nil, at}
				default:
					p.reset(l)
				}
				return
			}
		}
	})
	for one := range wire {
		select {
		case <-time.After(time.Until(one.at)):
		case <-p.done:
		}
		p.mu.Lock()
		dropped := p.blackhole
		p.mu.Unlock()
		if dropped {
			continue
		}
		if one.bytes == nil {
			if half, ok := to.(*net.TCPConn); ok {
				_ = half.CloseWrite() // the other side may have closed
			}
			continue
		}
		if _, err := to.Write(one.bytes); err != nil {
			p.reset(l)
		}
	}
	reader.Wait()
}

// reset ends both connections as a crashed host would. The caller holds the proxy's mutex unless
// the link is not in its map.
func (l *link) reset() {
	for _, c := range []net.Conn{l.client, l.server} {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // it may be closed already
			_ = tcp.Close()
		}
	}
}
