package scan_test

import (
	"fmt"
	"testing"

	"waxwing/internal/scan"
)

// A scan that meets more new files than it remembers looks for them a second time: nothing may be
// missed, read twice or mistaken by that.
func TestManyNewFilesBesideMovedAndChangedOnes(t *testing.T) {
	for _, remembered := range []int{1, 3, 1000} {
		t.Run(fmt.Sprint(remembered), func(t *testing.T) {
			h := newFixture(t)
			scan.SetMaxPending(h.scan, remembered)
			for i := range 6 {
				h.write(fmt.Sprintf("old/%d.mp3", i), titled(uint64(i), fmt.Sprint("Song ", i), "Artist", "Album"))
			}
			h.run(scan.Options{})
			if p := h.scan.Progress(); p.Found != 6 || p.Total != 6 || p.Done != 6 {
				t.Errorf("%+v", p)
			}
			before := h.songs()

			h.rename("old/0.mp3", "zoo/0.mp3")                                  // moved
			h.write("old/1.mp3", titled(1, "Another title", "Artist", "Album")) // retagged
			h.rename("old/2.mp3", "new/2.mp3")                                  // moved, and its place taken by other sound
			h.write("old/2.mp3", titled(102, "Stranger", "Artist", "Album"))
			h.write("old/fresh.mp3", titled(103, "Fresh", "Artist", "Album"))
			for i := range 12 {
				h.write(fmt.Sprintf("new/%c/%d.mp3", 'a'+i%4, i), titled(uint64(200+i), fmt.Sprint("New ", i), "Artist", "Album"))
			}
			report := h.run(scan.Options{})
			if report.Files != 20 || report.Added != 14 || report.Moved != 2 || report.Changed != 1 || report.Missing != 0 || report.Unchanged != 3 {
				t.Errorf("%+v", report)
			}
			after := h.songs()
			for from, to := range map[string]string{"old/0.mp3": "zoo/0.mp3", "old/1.mp3": "old/1.mp3", "old/2.mp3": "new/2.mp3", "old/3.mp3": "old/3.mp3"} {
				if before[from] != after[to] {
					t.Errorf("%s was %s, but %s is %s", from, before[from], to, after[to])
				}
			}
			if p := h.scan.Progress(); p.Found != 20 || p.Total != 17 {
				t.Errorf("%+v", p)
			}
			if report = h.run(scan.Options{}); report.Unchanged != 20 || report.Added+report.Changed+report.Moved+report.Missing != 0 {
				t.Errorf("nothing has changed, but %+v", report)
			}
		})
	}
}
