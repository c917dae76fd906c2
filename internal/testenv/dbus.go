package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Bus is a D-Bus session bus that ends with the test.
type Bus struct {
	Address string // for DBUS_SESSION_BUS_ADDRESS

	daemon
	socket string
	config string
}

// busConfig configures a session bus that allows everything and starts no services.
const busConfig = `<busconfig>
  <type>session</type>
  <listen>%s</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

// StartBus starts a bus and waits until it accepts connections.
func StartBus(t testing.TB) *Bus {
	t.Helper()
	SkipIfShort(t)
	NeedsTool(t, "dbus-daemon")
	dir := socketDir(t)
	b := &Bus{
		daemon: daemon{t: t, name: "dbus-daemon"},
		socket: filepath.Join(dir, "bus"), config: filepath.Join(dir, "bus.conf"),
	}
	b.Address = "unix:path=" + b.socket
	if err := os.WriteFile(b.config, fmt.Appendf(nil, busConfig, b.Address), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Kill)
	b.Restart()
	return b
}

// Env returns the environment that makes a program use this bus.
func (b *Bus) Env() []string { return []string{"DBUS_SESSION_BUS_ADDRESS=" + b.Address} }

// Restart starts the bus again after Kill, at the same address and without clients.
func (b *Bus) Restart() {
	b.t.Helper()
	b.run(exec.Command("dbus-daemon", "--config-file="+b.config, "--nofork", "--nopidfile", "--nosyslog"), b.socket)
}
