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
		said := make([]string, 5)
		for i := range said {
			all.Go(func() {
				out, errs, code := command(t, environment(home), "key", "create", "--name", fmt.Sprint("key ", i), "--data-dir",
					filepath.Join(home, "data"))
				if code != 0 {
					said[i] = fmt.Sprint(code, out, errs)
				}
			})
		}
		all.Wait()
		u.inputs += len(said)
		if said = slices.DeleteFunc(said, func(s string) bool { return s == "" }); len(said) > 0 {
			u.wrong("%q", said)
		}
	}
	testenv.Report(t, testenv.Migrations, testenv.Tally{Inputs: u.inputs, Violations: u.violations,
		Note: "five commands at once over a catalog that is not there yet"})
}
