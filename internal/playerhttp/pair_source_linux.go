package playerhttp

import (
	"encoding/binary"
	"net/netip"
	"strconv"

	"golang.org/x/sys/unix"
)

// accountOf returns the user id of the process that holds the other end of a connection on this
// machine; "" if that end is closed already. known is false if the kernel cannot be asked. It looks
// up one socket, so that its cost does not grow with the number of connections.
func accountOf(client, server netip.AddrPort) (account string, known bool) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_INET_DIAG)
	if err != nil {
		return "", false
	}
	defer func() { _ = unix.Close(fd) }()
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 1}); err != nil {
		return "", false
	}
	if err := unix.Sendto(fd, socketQuery(client, server), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return "", false
	}
	reply := make([]byte, 1024)
	n, _, err := unix.Recvfrom(fd, reply, 0)
	if err != nil {
		return "", false
	}
	return accountIn(reply[:n]), true
}

// Layout of the messages: struct nlmsghdr, then struct inet_diag_req_v2 or struct inet_diag_msg.
const (
	headerSize  = 16
	querySize   = headerSize + 56
	socketID    = headerSize + 8 // in a query
	accountAt   = headerSize + 64
	established = 1 // the state of a connection
)

// socketQuery encodes the request for the socket of the client.
func socketQuery(client, server netip.AddrPort) []byte {
	b := make([]byte, querySize)
	binary.NativeEndian.PutUint32(b, querySize)
	binary.NativeEndian.PutUint16(b[4:], unix.SOCK_DIAG_BY_FAMILY)
	binary.NativeEndian.PutUint16(b[6:], unix.NLM_F_REQUEST)
	source, target := client.Addr().Unmap(), server.Addr().Unmap()
	b[headerSize] = unix.AF_INET6
	if source.Is4() {
		b[headerSize] = unix.AF_INET
	}
	b[headerSize+1] = unix.IPPROTO_TCP
	binary.NativeEndian.PutUint32(b[headerSize+4:], ^uint32(0)) // any state
	id := b[socketID:]
	binary.BigEndian.PutUint16(id, client.Port())
	binary.BigEndian.PutUint16(id[2:], server.Port())
	copy(id[4:20], source.AsSlice())
	copy(id[20:36], target.AsSlice())
	binary.NativeEndian.PutUint64(id[40:], ^uint64(0)) // any cookie
	return b
}

// accountIn decodes the account of a reply; "" for an error and for a socket that is not open.
func accountIn(reply []byte) string {
	if len(reply) < accountAt+4 || binary.NativeEndian.Uint16(reply[4:]) != unix.SOCK_DIAG_BY_FAMILY ||
		reply[headerSize+1] != established {
		return ""
	}
	return strconv.FormatUint(uint64(binary.NativeEndian.Uint32(reply[accountAt:])), 10)
}
