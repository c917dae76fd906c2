package main

import (
	"strings"
	"testing"

	"waxwing/bench/table"
)

// TestEveryExplanationBelongsToARow compares the sections of limits.md with the keys of the rows.
func TestEveryExplanationBelongsToARow(t *testing.T) {
	known := map[string]bool{}
	for _, f := range families {
		for _, key := range f.keys {
			known[key] = true
		}
	}
	for _, section := range strings.Split(limits, "\n## ")[1:] {
		key, text, _ := strings.Cut(section, "\n")
		if !known[key] || len(strings.TrimSpace(text)) == 0 {
			t.Errorf("limits.md has an empty section or one for a row that does not exist: %q", key)
		}
	}
}

// TestOnlyMissedGoalsAreExplained writes a row that reached its goal, and one that did not.
func TestOnlyMissedGoalsAreExplained(t *testing.T) {
	for least, want := range map[float64]bool{0.1: false, 0.9: true} {
		var page strings.Builder
		rows := []table.Row{{Key: "random", Goal: table.AtLeast(least, []float64{0.5}, " × floor")}}
		if err := writeLimits(&page, rows); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(page.String(), "**random.**"); got != want {
			t.Errorf("goal %v, figure 0.5: explained is %v, want %v", least, got, want)
		}
	}
}
