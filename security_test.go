package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityPromisesNameTests: every promise in SECURITY.md links to a test that exists.
func TestSecurityPromisesNameTests(t *testing.T) {
	text, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`\[(\w+)\]\(([^)#]+_test\.go|[^)#]+\.mjs)\)`).FindAllStringSubmatch(string(text), -1)
	for _, link := range links {
		name, file := link[1], link[2]
		code, err := os.ReadFile(file)
		switch {
		case err != nil:
			t.Errorf("SECURITY.md links %s to %s: %v", name, file, err)
		case strings.HasSuffix(file, ".go") && !strings.Contains(string(code), "func "+name+"("):
			t.Errorf("%s has no function %s", file, name)
		}
	}
	if len(links) < 20 {
		t.Errorf("SECURITY.md links to %d tests, want at least 20", len(links))
	}
	for _, row := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(row, "| **") && !regexp.MustCompile(`\]\([^)]+(_test\.go|\.mjs)\)`).MatchString(row) {
			t.Errorf("a promise links to no test: %.80s", row)
		}
	}
}
