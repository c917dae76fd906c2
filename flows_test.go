package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestArchitectureNamesExistingFunctions checks every `package.Type.method` (file.go) of
// ARCHITECTURE.md against the source.
func TestArchitectureNamesExistingFunctions(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`([\\w.]+)` \\(([\\w/]+\\.go)\\)").FindAllStringSubmatch(string(text), -1)
	for _, m := range names {
		parts := strings.Split(m[1], ".")
		function := "func " + parts[len(parts)-1] + `[\[(]`
		if len(parts) == 3 {
			function = `func \(\w* ?\*?` + parts[1] + `(\[[^\]]*\])?\) ` + parts[2] + `[\[(]`
		}
		code, err := os.ReadFile(m[2])
		if err != nil {
			t.Errorf("%s: %v", m[1], err)
		} else if !regexp.MustCompile(function).Match(code) {
			t.Errorf("%s has no function %s", m[2], m[1])
		}
	}
	if len(names) < 25 {
		t.Errorf("found %d functions, want at least 25: has the notation changed?", len(names))
	}
}
