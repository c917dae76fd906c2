//go:build !linux

package testenv

import (
	"os"
	"os/exec"
)

// Freezing a process is for Linux alone; elsewhere the tests that do so fail.
var freezeSignal, thawSignal = os.Interrupt, os.Interrupt

// KillWithParent does nothing: only Linux supports it.
func KillWithParent(*exec.Cmd) {}
