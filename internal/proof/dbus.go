package proof

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Bus is a D-Bus session bus of the test's own. It ends with the test.
type Bus struct {
	Address string // for DBUS_SESSION_BUS_ADDRESS

	t      testing.TB
	socket string
	config string
	cmd    *exec.Cmd
	log    bytes.Buffer // of the last run; read it only when that has ended
	done   chan struct{}
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
	Need(t, "dbus-daemon")
	dir := socketDir(t)
	b := &Bus{t: t, socket: filepath.Join(dir, "bus"), config: filepath.Join(dir, "bus.conf")}
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
	_ = os.Remove(b.socket)
	b.log.Reset()
	b.cmd = exec.Command("dbus-daemon", "--config-file="+b.config, "--nofork", "--nopidfile", "--nosyslog")
	b.cmd.Stdout, b.cmd.Stderr = &b.log, &b.log
	dieWithUs(b.cmd)
	if err := b.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) {
		defer close(done)
		_ = cmd.Wait()
	}(b.cmd, b.done)
	for deadline := time.Now().Add(15 * time.Second); ; {
		if c, err := net.Dial("unix", b.socket); err == nil {
			_ = c.Close()
			return
		}
		select {
		case <-b.done:
			b.t.Fatalf("dbus-daemon ended at once:\n%s", b.log.String())
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			b.t.Fatal("dbus-daemon does not answer after 15 s")
		}
	}
}

// Kill ends the bus without a word to those on it.
func (b *Bus) Kill() {
	if b.done == nil {
		return
	}
	_ = b.cmd.Process.Kill()
	<-b.done
}

// Freeze stops the bus from running, as a hung one would be, until Thaw.
func (b *Bus) Freeze() { b.signal(freezeSignal) }

// Thaw lets a frozen bus go on.
func (b *Bus) Thaw() { b.signal(thawSignal) }

func (b *Bus) signal(s os.Signal) {
	b.t.Helper()
	if err := b.cmd.Process.Signal(s); err != nil {
		b.t.Fatal(err)
	}
}
