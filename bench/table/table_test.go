package table

import (
	"strings"
	"testing"
)

func TestFigureFormatsMedianAndSpread(t *testing.T) {
	for want, f := range map[string]Figure{
		"41,235/s (39,000–43,000)": {Values: []float64{43000, 41234.6, 39000}, Unit: "/s"},
		"0.30 ms (0.25–1.50)":      {Values: []float64{0.25, 0.301, 1.5}, Unit: " ms"},
		"33.1 MB":                  {Values: []float64{33.1}, Unit: " MB"},
		"0 %":                      {Values: []float64{0, 0.001, 0.002}, Unit: " %"},
		"not measured":             {Unit: " %"},
	} {
		if got := f.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestVerdictUsesTheMedian(t *testing.T) {
	for _, tt := range []struct {
		goal Goal
		want string
	}{
		{AtLeast(0.8, []float64{0.5, 0.8, 0.9}, " × floor"), "yes"},
		{AtLeast(0.8, []float64{0.5, 0.79, 0.9}, " × floor"), "no"},
		{AtMost(2, []float64{1, 2, 9}, " × MPD"), "yes"},
		{AtMost(2, []float64{1, 2.1, 9}, " × MPD"), "no"},
		{AtMostRounded(0, []float64{0.04}, " %"), "yes"},
		{AtMostRounded(0, []float64{0.06}, " %"), "no"},
		{Goal{}, "–"},
	} {
		if got := (Row{Goal: tt.goal}).Verdict(); got != tt.want {
			t.Errorf("%s of %s: got %s, want %s", tt.goal.figure, tt.goal.text, got, tt.want)
		}
	}
}

func TestTextAndMarkdownHaveTheSameContent(t *testing.T) {
	rows := []Row{{
		What: "pages", Ours: Figure{Values: []float64{100}, Unit: "/s"},
		Beside: []Figure{{Of: "floor", Values: []float64{120}, Unit: "/s"}},
		Goal:   AtLeast(0.8, []float64{0.83}, " × floor"),
		Absent: []string{"gonic is not installed"}, Note: "on a small catalog",
	}}
	var text, page strings.Builder
	if err := Text(&text, rows); err != nil {
		t.Fatal(err)
	}
	if err := Markdown(&page, rows); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"pages", "100/s", "floor 120/s", "≥ 0.80 × floor", "0.83 × floor", "yes",
		"gonic is not installed", "on a small catalog",
	} {
		if !strings.Contains(text.String(), part) || !strings.Contains(page.String(), part) {
			t.Errorf("%q is missing in\n%s\n%s", part, &text, &page)
		}
	}
}
