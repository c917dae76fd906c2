package scan_test

import (
	"fmt"
	"testing"

	"waxwing/internal/scan"
)

// A scan that finds more than maxPending new files walks the folders a second time.
func TestSecondWalkMissesAndRepeatsNoFile(t *testing.T) {
	for _, maxPending := range []int{1, 3, 1000} {
		t.Run(fmt.Sprint(maxPending), func(t *testing.T) {
			h := newFixture(t)
			scan.SetMaxPending(h.scan, maxPending)
			for i := range 6 {
				h.write(fmt.Sprintf("old/%d.mp3", i), titled(uint64(i), fmt.Sprint("Song ", i), "Artist", "Album"))
			}
			h.run(scan.Options{})
			if p := h.scan.Progress(); p.Found != 6 || p.Total != 6 || p.Done != 6 {
				t.Errorf("first scan: progress = %+v, want 6 files", p)
			}
			before := h.songs()

			h.rename("old/0.mp3", "zoo/0.mp3")                                  // moved
			h.write("old/1.mp3", titled(1, "Another title", "Artist", "Album")) // retagged
			h.rename("old/2.mp3", "new/2.mp3")                                  // moved, and replaced by other audio
			h.write("old/2.mp3", titled(102, "Other", "Artist", "Album"))
			h.write("old/fresh.mp3", titled(103, "Fresh", "Artist", "Album"))
			for i := range 12 {
				name := fmt.Sprintf("new/%c/%d.mp3", 'a'+i%4, i)
				h.write(name, titled(uint64(200+i), fmt.Sprint("New ", i), "Artist", "Album"))
			}
			report := h.run(scan.Options{})
			if report.Files != 20 || report.Added != 14 || report.Moved != 2 || report.Changed != 1 ||
				report.Missing != 0 || report.Unchanged != 3 {
				t.Errorf("got %+v; want 20 files: 14 added, 2 moved, 1 changed, 3 unchanged", report)
			}
			after := h.songs()
			for from, to := range map[string]string{
				"old/0.mp3": "zoo/0.mp3", "old/1.mp3": "old/1.mp3", "old/2.mp3": "new/2.mp3", "old/3.mp3": "old/3.mp3",
			} {
				if before[from] != after[to] {
					t.Errorf("%s was %s, but %s is %s", from, before[from], to, after[to])
				}
			}
			if p := h.scan.Progress(); p.Found != 20 || p.Total != 17 {
				t.Errorf("second scan: progress = %+v, want 20 found and 17 to read", p)
			}
			if report = h.run(scan.Options{}); report.Unchanged != 20 || changes(report) != 0 {
				t.Errorf("third scan: got %+v, want no change", report)
			}
		})
	}
}
