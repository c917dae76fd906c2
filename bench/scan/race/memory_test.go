package race_test

import (
	"testing"

	"waxwing/bench/gauge"
	"waxwing/bench/scan/race"
	"waxwing/internal/testenv"
)

// A scan may take more time for more files, but not more memory: the server stays below the bound however large the
// folder is. WAXWING_LONG=1 tries 100,000 files.
func TestMemoryOfAScanIsBounded(t *testing.T) {
	const mostMiB = 150
	files := 5000
	if testenv.Long() {
		files = 100_000
	}
	program, err := gauge.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := race.Memory(t.Context(), program, t.TempDir(), files)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(tree)
	for name, visit := range map[string]race.Visit{"first scan": tree.First, "nothing changed": tree.Again} {
		if visit.PeakMiB <= 0 || visit.PeakMiB > mostMiB {
			t.Errorf("%s of %d files: peak of %.0f MiB, must be at most %d", name, files, visit.PeakMiB, mostMiB)
		}
	}
}
