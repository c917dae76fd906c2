package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryPackageLooksForLeaks: tests that leave goroutines behind fail, in every package that has tests.
// Those of e2e are of another process, whose goroutines are not ours to count.
func TestEveryPackageLooksForLeaks(t *testing.T) {
	for _, line := range goList(t, `{{.ImportPath}}	{{.Dir}}	{{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}`) {
		f := strings.Split(line, "\t")
		tests := strings.Fields(f[2])
		if pkg, _ := inModule(f[0]); len(tests) == 0 || pkg == "e2e" {
			continue
		}
		looks := false
		for _, file := range tests {
			text, err := os.ReadFile(filepath.Join(f[1], file))
			if err != nil {
				t.Fatal(err)
			}
			looks = looks || strings.Contains(string(text), "goleak.VerifyTestMain(m)") || strings.Contains(string(text), "goleak.Find()")
		}
		if !looks {
			t.Errorf("%s has tests and no TestMain with goleak.VerifyTestMain", f[0])
		}
	}
}
