package httpkit

import (
	"net/netip"
	"sync"
	"time"
)

const (
	failuresAllowed = 10
	failuresWindow  = time.Minute
	failuresKept    = 4096 // addresses; an attacker with more of them gains nothing worth the memory
)

// failures counts wrong credentials by address. It never sees right ones, so nobody can
// lock the owner out.
type failures struct {
	mu   sync.Mutex
	from map[netip.Addr]*tally
}

type tally struct {
	count int
	since time.Time
}

// note counts one failure and returns how long that address should wait, if it must.
func (f *failures) note(remote string, now time.Time) (wait time.Duration) {
	addr := network(remote)
	f.mu.Lock()
	defer f.mu.Unlock()
	t, ok := f.from[addr]
	if !ok || now.Sub(t.since) >= failuresWindow {
		f.makeRoom(now)
		t = &tally{since: now}
		f.from[addr] = t
	}
	t.count++
	if t.count <= failuresAllowed {
		return 0
	}
	return t.since.Add(failuresWindow).Sub(now)
}

// makeRoom drops what has run out, and if that does not suffice, everything.
func (f *failures) makeRoom(now time.Time) {
	if f.from == nil {
		f.from = make(map[netip.Addr]*tally)
	}
	if len(f.from) < failuresKept {
		return
	}
	for addr, t := range f.from {
		if now.Sub(t.since) >= failuresWindow {
			delete(f.from, addr)
		}
	}
	if len(f.from) >= failuresKept {
		clear(f.from)
	}
}

// network is the part of a remote address that one party holds: all of an IPv4 address,
// the first half of an IPv6 one.
func network(remote string) netip.Addr {
	ap, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	addr := ap.Addr().Unmap().WithZone("")
	if addr.Is6() && !addr.IsLoopback() {
		if p, err := addr.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return addr
}
