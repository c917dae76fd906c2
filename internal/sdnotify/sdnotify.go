// Package sdnotify reports the state of this process to systemd, or any service manager with the
// same protocol. Without one, every call does nothing.
package sdnotify

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"
)

// Manager is the service manager. The zero value means that there is none.
type Manager struct {
	socket   string
	watchdog time.Duration
}

// FromEnv returns the manager that lookup (os.LookupEnv) names. A watchdog for a process other
// than pid, such as the shell that started this one, is ignored.
func FromEnv(lookup func(string) (string, bool), pid int) Manager {
	socket, _ := lookup("NOTIFY_SOCKET")
	m := Manager{socket: socket}
	usec, _ := lookup("WATCHDOG_USEC")
	if n, err := strconv.ParseInt(usec, 10, 64); err == nil && n > 0 {
		m.watchdog = time.Duration(n) * time.Microsecond
	}
	if owner, ok := lookup("WATCHDOG_PID"); ok && owner != strconv.Itoa(pid) {
		m.watchdog = 0
	}
	return m
}

// Supervise sends READY once alive succeeds, then WATCHDOG for as long as alive succeeds, and
// STOPPING when stopping is done. It returns when ctx is done. A process that runs but no longer
// serves requests is thus restarted by its manager.
func (m Manager) Supervise(ctx, stopping context.Context, alive func(context.Context) error) error {
	if m.socket == "" {
		return nil
	}
	defer context.AfterFunc(stopping, func() { _ = m.send("STOPPING=1") })() // the manager knows: it sent the signal
	const retryInterval = 50 * time.Millisecond
	for alive(ctx) != nil {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(retryInterval):
		}
	}
	if err := m.send("READY=1"); err != nil {
		return err
	}
	if m.watchdog == 0 {
		return nil
	}
	tick := time.NewTicker(m.watchdog / 2)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		soon, cancel := context.WithTimeout(ctx, m.watchdog/3)
		err := alive(soon)
		cancel()
		if err != nil {
			continue
		}
		if err := m.send("WATCHDOG=1"); err != nil {
			return err
		}
	}
}

// send sends one message. A socket name that begins with @ is in the abstract namespace.
func (m Manager) send(state string) error {
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: m.socket, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("connect to the service manager: %w", err)
	}
	defer func() { _ = conn.Close() }() // nothing is buffered
	if _, err := conn.Write([]byte(state)); err != nil {
		return fmt.Errorf("send %s to the service manager: %w", state, err)
	}
	return nil
}
