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

// sessionBuses lists the sockets at which the session bus may be, best first. Unlike the D-Bus library's own search
// it never starts a bus and never changes the environment.
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
	if uid := os.Getuid(); uid >= 0 { // negative where there are no such ids
		return []string{filepath.Join("/run/user", strconv.Itoa(uid), "bus")}
	}
	return nil
}

// socketOf reads unix:path=… and unix:abstract=…; other kinds of address give "".
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

// patience is how long a bus may take to answer or to read.
const patience = 3 * time.Second

// dial returns a connection to the first bus that takes it, ready for use. It ends with ctx.
func dial(ctx context.Context, sockets []string) (*dbus.Conn, error) {
	var failures []error
	for _, socket := range sockets {
		raw, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		conn, err := dbus.NewConn(&impatientConn{raw}, dbus.WithContext(ctx))
		if err != nil {
			_ = raw.Close() // nothing was sent
			failures = append(failures, err)
			continue
		}
		hung := time.AfterFunc(patience, func() { _ = conn.Close() })
		if err = conn.Auth(nil); err == nil {
			err = conn.Hello()
		}
		if hung.Stop() && err == nil {
			return conn, nil
		}
		_ = conn.Close() // the reason is err
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}

// impatientConn ends a write to a bus that reads no more: the library holds a
// lock while it writes, without which the connection cannot even be closed.
type impatientConn struct{ net.Conn }

func (c *impatientConn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}
