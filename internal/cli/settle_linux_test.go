package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// resident is how much of mapped files this process holds, in kB.
func resident(t *testing.T) (kb int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "RssFile:"); ok {
			if _, err := fmt.Sscan(rest, &kb); err != nil {
				t.Fatal(err)
			}
			return kb
		}
	}
	t.Fatal("the system does not tell")
	return 0
}

// TestUnmapProgram gives the pages back and goes on running: what is needed has to return by itself.
func TestUnmapProgram(t *testing.T) {
	before := resident(t)
	unmapProgram()
	if after := resident(t); after > before*3/4 {
		t.Errorf("%d kB of files are held after it, %d kB before", after, before)
	}
	if got := fmt.Sprintf("%s %v", strings.ToUpper("still here"), []int{1, 2}); got != "STILL HERE [1 2]" {
		t.Error(got)
	}
}
