package httpkit

import (
	"net/netip"
	"sync"
	"time"
)

const (
	failuresAllowed     = 10
	failuresWindow      = time.Minute
	maxFailureAddresses = 4096
)

// failures counts invalid credentials by address. Valid credentials are neither counted nor
// blocked, so nobody can lock the owner out.
type failures struct {
	mu   sync.Mutex
	from map[netip.Addr]*tally
}

type tally struct {
	count int
	since time.Time
}

// add counts a failure and returns how long that address must wait, or 0.
func (f *failures) add(remote string, now time.Time) (wait time.Duration) {
	addr := Network(remote)
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

// makeRoom removes expired entries, and if that is not enough, all entries.
func (f *failures) makeRoom(now time.Time) {
	if f.from == nil {
		f.from = make(map[netip.Addr]*tally)
	}
	if len(f.from) < maxFailureAddresses {
		return
	}
	for addr, t := range f.from {
		if now.Sub(t.since) >= failuresWindow {
			delete(f.from, addr)
		}
	}
	if len(f.from) >= maxFailureAddresses {
		clear(f.from)
	}
}

// Network returns the part of a remote address that identifies one party: all of an IPv4 address,
// the first half of an IPv6 address.
func Network(remote string) netip.Addr {
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
