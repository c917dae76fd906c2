package stream

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"waxwing/internal/fault"
)

// Policy says which addresses may be connected to: those of the public internet, and what Allow
// has besides. It is checked after names are resolved, for each connection, so that neither a name
// nor a redirect leads around it.
type Policy struct {
	Allow []netip.Prefix
}

// special are ranges outside of the public internet that netip.Addr has no method for.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // shared by the customers of a provider
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("2001::/23"), // Teredo and other protocols
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("3fff::/20"),
}

var (
	globalV6  = netip.MustParsePrefix("2000::/3")
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour = netip.MustParsePrefix("2002::/16")
)

// Permits reports whether an address may be connected to.
func (p Policy) Permits(addr netip.Addr) bool {
	addr = addr.Unmap()
	for _, prefix := range p.Allow {
		if prefix.Contains(addr.WithZone("")) {
			return true
		}
	}
	if embedded, ok := embeddedV4(addr); ok {
		return p.Permits(embedded) && !isOwn(addr)
	}
	if !addr.IsGlobalUnicast() || addr.IsPrivate() || addr.Zone() != "" || addr.Is6() && !globalV6.Contains(addr) {
		return false
	}
	for _, prefix := range special {
		if prefix.Contains(addr) {
			return false
		}
	}
	return !isOwn(addr)
}

// embeddedV4 returns the IPv4 address that a translator or a tunnel makes of an IPv6 address.
func embeddedV4(addr netip.Addr) (netip.Addr, bool) {
	b := addr.As16()
	switch {
	case !addr.Is6():
	case nat64.Contains(addr):
		return netip.AddrFrom4([4]byte(b[12:])), true
	case sixToFour.Contains(addr):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	}
	return netip.Addr{}, false
}

// isOwn reports whether addr belongs to this machine: behind it may be servers that the network
// protects from others. If the addresses are unknown, none is permitted.
func isOwn(addr netip.Addr) bool {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return true
	}
	for _, a := range all {
		if network, ok := a.(*net.IPNet); ok {
			if own, ok := netip.AddrFromSlice(network.IP); ok && own.Unmap() == addr {
				return true
			}
		}
	}
	return false
}

// control is for net.Dialer.ControlContext: it sees each address that a connection is about to be
// made to.
func (p Policy) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("connect to an unexpected address: %w", err)
	}
	if !p.Permits(target.Addr()) {
		return errNotPublic
	}
	return nil
}

var errNotPublic = fault.New(fault.Forbidden, "the address of this URL is not on the public internet; "+
	"start the player with --stream-allow and that address to play it")
