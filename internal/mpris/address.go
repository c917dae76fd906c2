package mpris

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
)

// sessionBuses lists the sockets where the session bus may listen, best first. Unlike the D-Bus
// library's own search it never starts a bus and never changes the environment.
func sessionBuses() []string {
	if named := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); named != "" && named != "autolaunch:" {
		var sockets []string
		for address := range strings.SplitSeq(named, ";") {
			if s := socketOf(address); s != "" {
				sockets = append(sockets, s)
			}
		}
		return sockets
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		return []string{filepath.Join(dir, "bus")}
	}
	if uid := os.Getuid(); uid >= 0 { // negative on systems without user ids
		return []string{filepath.Join("/run/user", strconv.Itoa(uid), "bus")}
	}
	return nil
}

// socketOf parses unix:path=… and unix:abstract=…; it returns "" for other kinds of address.
func socketOf(address string) string {
	options, unix := strings.CutPrefix(address, "unix:")
	if !unix {
		return ""
	}
	for option := range strings.SplitSeq(options, ",") {
		key, escaped, _ := strings.Cut(option, "=")
		value, err := dbus.UnescapeBusAddressValue(escaped)
		switch {
		case err != nil:
		case key == "path":
			return value
		case key == "abstract":
			return "@" + value
		}
	}
	return ""
}

// ioTimeout is how long a bus may take to reply or to read.
const ioTimeout = 3 * time.Second

// dial connects to the first reachable bus. The connection ends with ctx.
func dial(ctx context.Context, sockets []string) (*dbus.Conn, error) {
	var failures []error
	for _, socket := range sockets {
		raw, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		conn, err := dbus.NewConn(&timeoutConn{raw}, dbus.WithContext(ctx))
		if err != nil {
			_ = raw.Close() // nothing was sent
			failures = append(failures, err)
			continue
		}
		hung := time.AfterFunc(ioTimeout, func() { _ = conn.Close() })
		if err = conn.Auth(nil); err == nil {
			err = conn.Hello()
		}
		if hung.Stop() && err == nil {
			return conn, nil
		}
		_ = conn.Close() // err is the reason
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}

// timeoutConn ends a write to a bus that no longer reads: the library holds a lock while it writes,
// and without that lock the connection cannot be closed.
type timeoutConn struct{ net.Conn }

func (c *timeoutConn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(ioTimeout)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}
