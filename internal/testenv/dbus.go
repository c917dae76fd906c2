package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Bus is a D-Bus session bus of the test's own. It ends with the test.
type Bus struct {
	Address string // for DBUS_SESSION_BUS_ADDRESS

	daemon
	socket string
	config string
}

// busConfig is a session bus on which everybody may do everything, and which starts no services.
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

// StartBus starts a bus and waits until it answers.
func StartBus(t testing.TB) *Bus {
	t.Helper()
	NeedsTool(t, "dbus-daemon")
	dir := socketDir(t)
	b := &Bus{daemon: daemon{t: t, name: "dbus-daemon"}, socket: filepath.Join(dir, "bus"), config: filepath.Join(dir, "bus.conf")}
	b.Address = "unix:path=" + b.socket
	if err := os.WriteFile(b.config, fmt.Appendf(nil, busConfig, b.Address), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Kill)
	b.Restart()
	return b
}

// Env leads any program to this bus, and to no other.
func (b *Bus) Env() []string { return []string{"DBUS_SESSION_BUS_ADDRESS=" + b.Address} }

// Restart starts the bus again after Kill, at the same address and with nobody on it.
func (b *Bus) Restart() {
	b.t.Helper()
	b.run(exec.Command("dbus-daemon", "--config-file="+b.config, "--nofork", "--nopidfile", "--nosyslog"), b.socket)
}
