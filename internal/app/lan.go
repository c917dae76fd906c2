package app

import (
	"context"
	"net"
	"strconv"
)

// lanURL returns the URL at which other machines of the network reach a listener; "" if only this
// machine does. It is computed when it is needed, because addresses of a machine change.
func lanURL(at net.Addr) string {
	tcp, ok := at.(*net.TCPAddr)
	if !ok || tcp.IP.IsLoopback() {
		return ""
	}
	ip := tcp.IP
	if ip.IsUnspecified() {
		if ip = ownAddress(); ip == nil {
			return ""
		}
	}
	return "http://" + net.JoinHostPort(ip.String(), strconv.Itoa(tcp.Port))
}

// ownAddress returns the IPv4 address from which this machine reaches others; nil if it has none.
func ownAddress() net.IP {
	// Connecting a UDP socket selects a route and sends nothing. The address is one of documents.
	if conn, err := (&net.Dialer{}).DialContext(context.Background(), "udp4", "192.0.2.1:9"); err == nil {
		defer conn.Close()
		if local, ok := conn.LocalAddr().(*net.UDPAddr); ok && !local.IP.IsLoopback() {
			return local.IP
		}
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	for _, addr := range addrs {
		if network, ok := addr.(*net.IPNet); ok && network.IP.To4() != nil && network.IP.IsPrivate() {
			return network.IP
		}
	}
	return nil
}
