package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"waxwing/internal/testenv"
)

// TestConcurrentFirstCommandsSucceed runs commands at the same time before the catalog exists.
func TestConcurrentFirstCommandsSucceed(t *testing.T) {
	t.Parallel()
	u := &upgrades{t: t}
	for range 3 {
		home := t.TempDir()
		var all sync.WaitGroup
		failures := make([]string, 5)
		for i := range failures {
			all.Go(func() {
				out, errs, code := command(t, environment(home), "key", "create", "--name", fmt.Sprint("key ", i),
					"--data-dir", filepath.Join(home, "data"))
				if code != 0 {
					failures[i] = fmt.Sprint(code, out, errs)
				}
			})
		}
		all.Wait()
		u.inputs += len(failures)
		if failures = slices.DeleteFunc(failures, func(s string) bool { return s == "" }); len(failures) > 0 {
			u.wrong("concurrent first commands failed: %q", failures)
		}
	}
	testenv.Report(t, testenv.Migrations, testenv.Tally{Inputs: u.inputs, Violations: u.violations,
		Note: "five concurrent commands before the catalog exists"})
}
