package scans_test

import (
	"testing"

	"waxwing/bench/gauge"
	"waxwing/bench/scans"
	"waxwing/internal/testenv"
)

// TestScanMemoryDoesNotGrowWithTheLibrary scans 5,000 files, or 100,000 with WAXWING_LONG=1.
func TestScanMemoryDoesNotGrowWithTheLibrary(t *testing.T) {
	testenv.SkipIfShort(t)
	files := 5000
	if testenv.Long() {
		files = 100_000
	}
	program, err := gauge.Build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	peaks, err := scans.PeakMemory(t.Context(), program, t.TempDir(), files)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]float64{"first scan": peaks.First, "no-change scan": peaks.Again} {
		if got <= 0 || got > scans.MemoryLimit {
			t.Errorf("%s of %d files: got a peak of %.0f MiB, want at most %d", name, files, got, scans.MemoryLimit)
		}
	}
}
