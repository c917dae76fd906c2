package testenv

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"
)

// daemon is a program that listens on a Unix socket for as long as the test lasts, or until it is killed.
type daemon struct {
	t    testing.TB
	name string
	cmd  *exec.Cmd
	log  bytes.Buffer // of the last run; read it only when that has ended
	done chan struct{}
}

// run starts cmd and waits until its socket answers.
func (d *daemon) run(cmd *exec.Cmd, socket string) {
	d.t.Helper()
	_ = os.Remove(socket) // what a killed one left
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
		_ = cmd.Wait() // how it ended is in its log
	}()
	for deadline := time.Now().Add(15 * time.Second); ; {
		if c, err := net.Dial("unix", socket); err == nil {
			_ = c.Close() // only the answer counted
			return
		}
		select {
		case <-done:
			d.t.Fatalf("%s ended at once:\n%s", d.name, d.log.String())
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			d.t.Fatalf("%s does not answer after 15 s", d.name)
		}
	}
}

// Kill ends it without a word to its clients.
func (d *daemon) Kill() {
	if d.done == nil {
		return
	}
	_ = d.cmd.Process.Kill() // it may be gone already
	<-d.done
}

// Freeze stops it from running, as a hung one would be, until Thaw.
func (d *daemon) Freeze() { d.signal(freezeSignal) }

// Thaw lets a frozen one go on.
func (d *daemon) Thaw() { d.signal(thawSignal) }

func (d *daemon) signal(s os.Signal) {
	d.t.Helper()
	if err := d.cmd.Process.Signal(s); err != nil {
		d.t.Fatal(err)
	}
}
