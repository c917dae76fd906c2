// Package sdnotify tells the service manager that started this process how it is doing. Without such
// a manager every call does nothing.
package sdnotify

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"
)

// Manager is the service manager; its zero value is none.
type Manager struct {
	socket   string
	watchdog time.Duration
}

// FromEnv finds the manager. lookup is os.LookupEnv, pid this process: a watchdog meant for another
// process, such as the shell that started this one, is not ours to feed.
func FromEnv(lookup func(string) (string, bool), pid int) Manager {
	socket, _ := lookup("NOTIFY_SOCKET")
	m := Manager{socket: socket}
	usec, _ := lookup("WATCHDOG_USEC")
	if n, err := strconv.ParseInt(usec, 10, 64); err == nil && n > 0 {
		m.watchdog = time.Duration(n) * time.Microsecond
	}
	if whose, named := lookup("WATCHDOG_PID"); named && whose != strconv.Itoa(pid) {
		m.watchdog = 0
	}
	return m
}

// Supervise says READY once alive has succeeded, then feeds the watchdog for as long as alive goes on succeeding,
// says STOPPING when leaving is done, and returns with ctx. A process that runs but no longer
// answers is thus started anew by its manager.
func (m Manager) Supervise(ctx, leaving context.Context, alive func(context.Context) error) error {
	if m.socket == "" {
		return nil
	}
	defer context.AfterFunc(leaving, func() { _ = m.tell("STOPPING=1") })() // the manager has asked for it itself
	const firstTries = 50 * time.Millisecond
	for alive(ctx) != nil {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(firstTries):
		}
	}
	if err := m.tell("READY=1"); err != nil {
		return err
	}
	if m.watchdog == 0 {
		return nil
	}
	feed := time.NewTicker(m.watchdog / 2)
	defer feed.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-feed.C:
		}
		soon, cancel := context.WithTimeout(ctx, m.watchdog/3)
		err := alive(soon)
		cancel()
		if err != nil {
			continue
		}
		if err := m.tell("WATCHDOG=1"); err != nil {
			return err
		}
	}
}

// tell sends one message. A name that begins with @ is in the abstract namespace, as the net package spells it too.
func (m Manager) tell(state string) error {
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: m.socket, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("reach the service manager: %w", err)
	}
	defer func() { _ = conn.Close() }() // nothing is buffered
	if _, err := conn.Write([]byte(state)); err != nil {
		return fmt.Errorf("tell the service manager %s: %w", state, err)
	}
	return nil
}
