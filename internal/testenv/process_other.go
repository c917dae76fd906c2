//go:build !linux

package testenv

import (
	"os"
	"os/exec"
)

// Only Linux can freeze a process; elsewhere such tests fail.
var freezeSignal, thawSignal = os.Interrupt, os.Interrupt

// KillWithParent does nothing: only Linux supports it.
func KillWithParent(*exec.Cmd) {}
