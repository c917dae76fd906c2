// Package proof decides whether a test that needs a real service or program may
// run here. On a developer's bare machine such a test is left out with one line that
// says so; under CI=true leaving one out is a failure.
package proof

import (
	"os"
	"os/exec"
	"strings"
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
	line := "proof left out: needs " + strings.Join(missing, ", ") + " (make test installs it)"
	if os.Getenv("CI") == "true" {
		t.Fatal(line)
	}
	t.Skip(line)
}
