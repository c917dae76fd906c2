// Package testenv decides whether a test that needs a real service or program may
// run here. On a developer's bare machine such a test is left out with one line that
// says so; under CI=true leaving one out is a failure.
package testenv

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// Need returns when every named program is on PATH. If not, it ends the test:
// left out with a line that names them, or failed when CI=true.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	var missing []string
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			missing = append(missing, p)
		}
	}
	if len(missing) == 0 {
		return
	}
	leaveOut(t, "proof left out: needs "+strings.Join(missing, ", ")+" (make test installs it)")
}

// leaveOut ends a test that cannot run here.
func leaveOut(t testing.TB, line string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(line)
	}
	tell(line)
	t.Skip(line)
}

// told keeps each line from being said twice by one test program.
var told sync.Map

// tell says to the person at the terminal what go test, when all is well, keeps to itself.
func tell(line string) {
	if _, before := told.LoadOrStore(line, true); before {
		return
	}
	if tty, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0); err == nil {
		_, _ = fmt.Fprintln(tty, line) // a courtesy
		_ = tty.Close()
	}
}
