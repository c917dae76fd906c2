package httpkit

import "net/netip"

// LimitLoopback limits the connections of each address of loopback as those of other machines.
func LimitLoopback(l *LimitedListener) { l.shared = func(netip.Addr) bool { return false } }
