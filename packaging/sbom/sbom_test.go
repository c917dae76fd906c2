package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestListContainsEveryModule compares with the output of go version -m.
func TestListContainsEveryModule(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "waxwing")
	build := exec.Command("go", "build", "-trimpath", "-o", binary, "waxwing")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var first, second bytes.Buffer
	if err := list(&first, binary); err != nil {
		t.Fatal(err)
	}
	if err := list(&second, binary); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two lists of the same binary differ", err)
	}
	var doc document
	if err := json.Unmarshal(first.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, c := range doc.Components {
		listed[c.Name+" "+c.Version] = true
		if c.Name != "std" && (len(c.Hashes) != 1 || len(c.Hashes[0].Content) != 64) {
			t.Errorf("%s has no checksum", c.Name)
		}
	}
	out, err := exec.Command("go", "version", "-m", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := 0
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) >= 3 && f[0] == "dep" {
			modules++
			if !listed[f[1]+" "+f[2]] {
				t.Errorf("%s %s is not listed", f[1], f[2])
			}
		}
	}
	if modules == 0 || modules+1 != len(listed) {
		t.Errorf("%d modules, %d listed", modules, len(listed))
	}
}
