package playerhttp

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strings"
)

const (
	// maxSockets bounds how much of the kernel's list of sockets is read for one request.
	maxSockets  = 2 << 20
	established = "01"
)

// accountOf returns the user id of the process that holds the other end of a connection on this
// machine; "" if that end is closed already. known is false if the kernel does not say.
func accountOf(client, server netip.AddrPort) (account string, known bool) {
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		list, err := os.Open(file)
		if errors.Is(err, os.ErrNotExist) && known {
			continue // no IPv6
		}
		if err != nil {
			return "", false
		}
		known = true
		account = findAccount(io.LimitReader(list, maxSockets), client, server)
		_ = list.Close() // it was only read
		if account != "" {
			break
		}
	}
	return account, known
}

// findAccount searches a list of sockets in the form of /proc/net/tcp.
func findAccount(list io.Reader, client, server netip.AddrPort) string {
	for lines := bufio.NewScanner(list); lines.Scan(); {
		// Number, local and remote address, state, queues, timer, retransmissions, user id.
		fields := strings.Fields(lines.Text())
		if len(fields) > 7 && isSocketAddr(fields[1], client) && isSocketAddr(fields[2], server) {
			if fields[3] != established {
				return "" // a closed socket has no account
			}
			return fields[7]
		}
	}
	return ""
}

// isSocketAddr reports whether the kernel writes an address as text: 32-bit words in the order of
// the machine.
func isSocketAddr(text string, addr netip.AddrPort) bool {
	hex := func(ip []byte) string {
		var b strings.Builder
		for ; len(ip) >= 4; ip = ip[4:] {
			fmt.Fprintf(&b, "%08X", binary.NativeEndian.Uint32(ip))
		}
		return fmt.Sprintf("%s:%04X", b.String(), addr.Port())
	}
	mapped := addr.Addr().As16()
	return text == hex(mapped[:]) || addr.Addr().Unmap().Is4() && text == hex(addr.Addr().Unmap().AsSlice())
}
