package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestPromisesAreTested: every test that SECURITY.md names is there, in the file that it names.
func TestPromisesAreTested(t *testing.T) {
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
			t.Errorf("%s is said to be in %s: %v", name, file, err)
		case strings.HasSuffix(file, ".go") && !strings.Contains(string(code), "func "+name+"("):
			t.Errorf("%s has no %s", file, name)
		}
	}
	if len(links) < 20 {
		t.Errorf("only %d tests are named", len(links))
	}
	for _, row := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(row, "| **") && !regexp.MustCompile(`\]\([^)]+(_test\.go|\.mjs)\)`).MatchString(row) {
			t.Errorf("a promise names no test: %.80s", row)
		}
	}
}
