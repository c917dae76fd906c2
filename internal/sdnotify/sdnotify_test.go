package sdnotify_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/internal/sdnotify"
)

// manager is the side of the service manager of the socket.
type manager struct {
	*net.UnixConn
	env map[string]string
}

func listen(t *testing.T, watchdog time.Duration) *manager {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &manager{conn, map[string]string{
		"NOTIFY_SOCKET": path, "WATCHDOG_USEC": fmt.Sprint(watchdog.Microseconds()), "WATCHDOG_PID": "7",
	}}
}

func (m *manager) lookup(name string) (string, bool) {
	v, ok := m.env[name]
	return v, ok
}

// next returns the next message, or "" if none arrives in time.
func (m *manager) next(t *testing.T, within time.Duration) string {
	t.Helper()
	if err := m.SetReadDeadline(time.Now().Add(within)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 100)
	n, err := m.Read(b)
	var timeout net.Error
	if err != nil && (!errors.As(err, &timeout) || !timeout.Timeout()) {
		t.Fatal(err)
	}
	return string(b[:n])
}

// TestSuperviseSendsReadyWatchdogAndStopping: no READY before the service responds, no WATCHDOG
// while it hangs, STOPPING at the shutdown.
func TestSuperviseSendsReadyWatchdogAndStopping(t *testing.T) {
	m := listen(t, 200*time.Millisecond)
	ctx, end := context.WithCancel(t.Context())
	stopping, stop := context.WithCancel(t.Context())
	defer stop()
	var healthy atomic.Bool
	done := make(chan error, 1)
	go func() {
		done <- sdnotify.FromEnv(m.lookup, 7).Supervise(ctx, stopping, func(context.Context) error {
			if !healthy.Load() {
				return errors.New("not yet")
			}
			return nil
		})
	}()
	if got := m.next(t, 300*time.Millisecond); got != "" {
		t.Fatalf("message before the service responds: got %q, want none", got)
	}
	healthy.Store(true)
	for _, want := range []string{"READY=1", "WATCHDOG=1", "WATCHDOG=1"} {
		if got := m.next(t, 10*time.Second); got != want {
			t.Fatalf("message: got %q, want %s", got, want)
		}
	}
	healthy.Store(false)
	for m.next(t, 500*time.Millisecond) != "" { // skip messages that were sent before
	}
	stop()
	if got := m.next(t, 10*time.Second); got != "STOPPING=1" {
		t.Fatalf("message: got %q, want STOPPING=1", got)
	}
	end()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestWatchdogOfAnotherProcessIsIgnored(t *testing.T) {
	m := listen(t, 50*time.Millisecond)
	err := sdnotify.FromEnv(m.lookup, 8).Supervise(t.Context(), context.Background(),
		func(context.Context) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if first, second := m.next(t, time.Second), m.next(t, 200*time.Millisecond); first != "READY=1" || second != "" {
		t.Fatalf("messages: got %q, %q; want READY=1 and none", first, second)
	}
}

func TestSuperviseWithoutManagerDoesNothing(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	if err := sdnotify.FromEnv(none, 1).Supervise(t.Context(), t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}
