package testenv

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// Proxy is a loopback TCP proxy with switches for what networks do to connections. It lasts as long
// as the test; every connection through it is closed when the test ends.
type Proxy struct {
	t        testing.TB
	target   string
	listener net.Listener
	running  sync.WaitGroup
	done     chan struct{}

	mu      sync.Mutex
	changed *sync.Cond // something below changed
	latency time.Duration
	swallow bool
	cut     bool
	ended   bool
	links   map[*link]struct{}
	carried int // connections accepted so far
}

// link is one client's connection and the one that was made for it.
type link struct{ client, server net.Conn }

// NewProxy starts a proxy in front of target ("127.0.0.1:5432"), with all switches off.
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

// Addr is where clients connect to.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Links is how many connections are open now, and how many there were in all.
func (p *Proxy) Links() (open, ever int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links), p.carried
}

// Latency holds everything back for d in each direction, from now on.
func (p *Proxy) Latency(d time.Duration) { p.set(func() { p.latency = d }) }

// Reset breaks every open connection with a TCP reset; new ones are carried as before.
func (p *Proxy) Reset() { p.breakAll() }

// Swallow makes all connections half open: bytes of both sides vanish and nobody is told, nor is a
// connection made or ended at the other side. Switched off again, what was swallowed stays lost, so the
// connections of that time are reset.
func (p *Proxy) Swallow(on bool) {
	p.set(func() { p.swallow = on })
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
	_ = p.listener.Close() // it ends accept
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
		p.carried++
		refused := p.cut || p.ended
		if !refused {
			p.links[l] = struct{}{}
		}
		p.mu.Unlock()
		if refused {
			l.reset()
			continue
		}
		p.running.Go(func() { p.carry(l) })
	}
}

// carry connects a client with the target and copies both ways until either side ends.
func (p *Proxy) carry(l *link) {
	defer p.forget(l)
	if !p.passable() {
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

// passable waits while connections are swallowed and reports whether new ones are carried. That a client
// gave up meanwhile is seen by the first read.
func (p *Proxy) passable() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.swallow && !p.ended {
		p.changed.Wait()
	}
	return !p.ended && !p.cut
}

func (p *Proxy) end(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.reset()
}

func (p *Proxy) forget(l *link) {
	p.end(l)
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
}

// parcel is bytes that are on their way, and when they arrive. An end has no bytes.
type parcel struct {
	bytes []byte
	at    time.Time
}

// copy carries one direction. Reading goes on while parcels wait, as on a long wire, so that latency
// does not become a limit of bandwidth.
func (p *Proxy) copy(l *link, to, from net.Conn) {
	wire := make(chan parcel, 256)
	var reader sync.WaitGroup
	reader.Go(func() {
		defer close(wire)
		for {
			buf := make([]byte, 16<<10)
			n, err := from.Read(buf)
			p.mu.Lock()
			at, swallowed := time.Now().Add(p.latency), p.swallow
			p.mu.Unlock()
			if n > 0 && !swallowed {
				wire <- parcel{buf[:n], at}
			}
			if err != nil {
				switch {
				case swallowed:
				case err == io.EOF:
					wire <- parcel{nil, at}
				default:
					p.end(l)
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
		swallowed := p.swallow
		p.mu.Unlock()
		if swallowed {
			continue
		}
		if one.bytes == nil {
			if half, ok := to.(*net.TCPConn); ok {
				_ = half.CloseWrite() // the other side may be gone
			}
			continue
		}
		if _, err := to.Write(one.bytes); err != nil {
			p.end(l)
		}
	}
	reader.Wait()
}

// reset ends both connections as a crashed host would. The proxy's mutex is held, or the link is unknown
// to others.
func (l *link) reset() {
	for _, c := range []net.Conn{l.client, l.server} {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // closed already, perhaps
			_ = tcp.Close()
		}
	}
}
