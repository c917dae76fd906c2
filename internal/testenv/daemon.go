package testenv

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"
)

// daemon is a program that listens on a Unix socket until it is killed or the test ends.
type daemon struct {
	t    testing.TB
	name string
	cmd  *exec.Cmd
	log  bytes.Buffer // of the last run; read it only after that has ended
	done chan struct{}
}

// run starts cmd and waits until its socket accepts connections.
func (d *daemon) run(cmd *exec.Cmd, socket string) {
	d.t.Helper()
	_ = os.Remove(socket) // left by a killed daemon
	d.log.Reset()
	d.cmd = cmd
	cmd.Stdout, cmd.Stderr = &d.log, &d.log
	KillWithParent(cmd)
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	done := make(chan struct{})
	d.done = done
	go func() {
		defer close(done)
		_ = cmd.Wait() // the log says how it ended
	}()
	for deadline := time.Now().Add(15 * time.Second); ; {
		if c, err := net.Dial("unix", socket); err == nil {
			_ = c.Close() // it only had to connect
			return
		}
		select {
		case <-done:
			d.t.Fatalf("%s ended at its start:\n%s", d.name, d.log.String())
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			d.t.Fatalf("%s does not accept connections after 15 s", d.name)
		}
	}
}

// Kill ends the program with SIGKILL.
func (d *daemon) Kill() {
	if d.done == nil {
		return
	}
	_ = d.cmd.Process.Kill() // it may have ended already
	<-d.done
}

// Freeze suspends the program, as if it hung, until Thaw.
func (d *daemon) Freeze() { d.signal(freezeSignal) }

// Thaw resumes a frozen program.
func (d *daemon) Thaw() { d.signal(thawSignal) }

func (d *daemon) signal(s os.Signal) {
	d.t.Helper()
	if err := d.cmd.Process.Signal(s); err != nil {
		d.t.Fatal(err)
	}
}
