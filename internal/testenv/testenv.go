// Package testenv provides what the tests of this module share: TestMain, checks for installed
// programs, sizes of tests, cost limits, and real services such as PulseAudio and D-Bus.
package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// NeedsTool skips the test unless every named program is on PATH. If the environment sets CI=true,
// it fails the test instead, so that a run that must be complete never skips one.
func NeedsTool(t testing.TB, programs ...string) {
	t.Helper()
	var missing []string
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			missing = append(missing, p)
		}
	}
	if len(missing) > 0 {
		skipOrFail(t, "test skipped: needs "+strings.Join(missing, ", ")+" (make test installs it)")
	}
}

// SkipIfShort skips a test that starts a service or waits in real time if the tests run with
// -short, as `make check` does.
func SkipIfShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("test skipped: not in the short form")
	}
}

// NeedsRoot skips the test unless it runs as root, which can start processes of other accounts.
func NeedsRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		skip(t, "test skipped: needs root to start processes of other accounts")
	}
}

// skipOrFail ends a test that cannot run on this machine.
func skipOrFail(t testing.TB, line string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(line)
	}
	skip(t, line)
}

// skip skips a test that needs a permission, even if CI=true: no package to install provides it.
func skip(t testing.TB, line string) {
	t.Helper()
	printOnce(line)
	t.Skip(line)
}

var printed sync.Map

// printOnce prints a line to the terminal, because go test does not show why a test was skipped.
func printOnce(line string) {
	if _, before := printed.LoadOrStore(line, true); before {
		return
	}
	if tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0); err == nil {
		_, _ = fmt.Fprintln(tty, line)
		_ = tty.Close()
	}
}
