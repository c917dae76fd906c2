package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"waxwing/internal/httpkit"
	"waxwing/internal/ownersocket"
)

// listen opens a port for a server. The error names the flag that chooses another one.
func (a *App) listen(ctx context.Context, server, flag, addr string) (net.Listener, error) {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; if Waxwing is already running, choose another port with --%s",
			addr, err, flag)
	}
	a.onRelease(func() { _ = ln.Close() }) // already closed after a run
	return httpkit.Limit(ln, server, a.limits(), a.registryOf(server)), nil
}

// listenControl opens the socket for the commands of this account. Without one, for instance on a
// file system that has no sockets, they use the port and check that it is this player's.
func (a *App) listenControl() net.Listener {
	ln, err := ownersocket.Listen(a.cfg.DataDir.File(ControlSocket))
	if err != nil {
		if !errors.Is(err, errors.ErrUnsupported) {
			a.log.Warn("cannot create the control socket; commands will use the port", "err", err)
		}
		return nil
	}
	a.onRelease(func() { _ = ln.Close() }) // already closed after a run
	return ln
}

// reachable returns the address at which this machine reaches a listener, which may listen on all
// addresses.
func reachable(ln net.Listener) string {
	addr := ln.Addr().(*net.TCPAddr)
	if addr.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", addr.Port)
	}
	return addr.String()
}

// noteWithoutHosts says at the start that other machines can use the address of this one, but no
// name: DNS rebinding could make a foreign page's name resolve to this server.
func (a *App) noteWithoutHosts(at net.Addr, setting string, hosts []string, publicURL string) {
	if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() && len(hosts) == 0 && publicURL == "" {
		variable := "WAXWING_" + strings.ToUpper(strings.ReplaceAll(setting, "-", "_"))
		a.log.Info("other machines can use the IP address of this one; requests with a host name get 421",
			"addr", tcp.String(), "hint", "to allow a name: --"+setting+" music.example.net ("+variable+")")
	}
}

// OperatorHosts returns the host names the operator's listener replies to: those of the roles, and
// for each with a port also the name alone, because the operator's port is another one.
func OperatorHosts(hosts []string) (names []string) {
	for _, host := range hosts {
		names = append(names, host)
		if i := strings.LastIndexByte(host, ':'); i > 0 && !strings.HasSuffix(host, "]") {
			names = append(names, host[:i])
		}
	}
	return names
}
