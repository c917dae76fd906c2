package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryPackageChecksForLeaks: every package with tests has a TestMain that calls testenv.Main,
// which fails if tests leave goroutines behind.
func TestEveryPackageChecksForLeaks(t *testing.T) {
	for _, line := range goList(t, `{{.ImportPath}}	{{.Dir}}	{{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}`) {
		f := strings.Split(line, "\t")
		tests := strings.Fields(f[2])
		if len(tests) == 0 {
			continue
		}
		checks := false
		for _, file := range tests {
			text, err := os.ReadFile(filepath.Join(f[1], file))
			if err != nil {
				t.Fatal(err)
			}
			checks = checks || strings.Contains(string(text), "testenv.Main(m")
		}
		if !checks {
			t.Errorf("%s has tests but no TestMain that calls testenv.Main", f[0])
		}
	}
}
