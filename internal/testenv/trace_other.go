//go:build !linux || !amd64

package testenv

import (
	"os/exec"
	"testing"
)

// KillAtCall skips the test: it needs Linux on a PC.
func KillAtCall(t testing.TB, _ *exec.Cmd, _ int) (calls []string, killed bool) {
	skip(t, "test skipped: system calls are traced on Linux/amd64 only")
	return nil, false
}
