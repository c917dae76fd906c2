package testenv

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Main is the TestMain of every package. It runs the tests, stops the services that they shared and
// fails if a goroutine is left behind. It does not return.
func Main(m *testing.M, stop ...func() error) {
	// T.TempDir prefers GOTMPDIR to TMPDIR, which may be in memory; see the Makefile.
	if err := os.Unsetenv("GOTMPDIR"); err != nil {
		fmt.Fprintln(os.Stderr, "prepare the folder of temporary files:", err)
		os.Exit(1)
	}
	code := m.Run()
	for _, f := range stop {
		if err := f(); err != nil {
			fmt.Fprintln(os.Stderr, "stop a service of the tests:", err)
			code = 1
		}
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, "tests left goroutines behind:", err)
		code = 1
	}
	os.Exit(code)
}
