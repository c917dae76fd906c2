package testenv

import (
	"os/exec"
	"syscall"
)

const (
	freezeSignal = syscall.SIGSTOP
	thawSignal   = syscall.SIGCONT
)

// dieWithUs makes the kernel end a child whose test process was killed.
func dieWithUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
