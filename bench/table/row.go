// Package table formats the results of the benchmark: rows with figures, their spread, a goal and
// whether it was reached.
package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"waxwing/bench/gauge"
)

// Figure is a quantity that was measured several times.
type Figure struct {
	Of     string // the program: ours, floor, MPD, …
	Values []float64
	Unit   string // printed after the number
}

// String returns the median, and minimum and maximum if it was measured more than once.
func (f Figure) String() string {
	if len(f.Values) == 0 {
		return "not measured"
	}
	text := number(gauge.Median(f.Values)) + f.Unit
	if low, high := number(slices.Min(f.Values)), number(slices.Max(f.Values)); len(f.Values) > 1 && low != high {
		text += " (" + low + "–" + high + ")"
	}
	return text
}

// number formats v with three significant digits.
func number(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1000:
		return grouped(int64(math.Round(v)))
	case a >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 2, 64), ".00")
	}
}

func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// Goal is a lower or upper limit of a figure.
type Goal struct {
	figure Figure
	limit  float64
	least  bool
	text   string
}

// AtLeast requires a median of at least limit.
func AtLeast(limit float64, values []float64, unit string) Goal {
	return Goal{Figure{Values: values, Unit: unit}, limit, true, "≥ " + number(limit) + unit}
}

// AtMost requires a median of at most limit.
func AtMost(limit float64, values []float64, unit string) Goal {
	return Goal{Figure{Values: values, Unit: unit}, limit, false, "≤ " + number(limit) + unit}
}

// AtMostRounded requires a median of at most limit, rounded to one decimal.
func AtMostRounded(limit float64, values []float64, unit string) Goal {
	g := AtMost(limit+0.0499999, values, unit)
	g.text = fmt.Sprintf("%.1f%s", limit, unit)
	return g
}

// Row is a line of the table.
type Row struct {
	Key    string // name for -only
	What   string
	Ours   Figure
	Beside []Figure
	Goal   Goal
	Absent []string // what was not measured, and why
	Note   string   // context for the figures
}

// Verdict returns "yes", "no", or "–" if the goal was not measured.
func (r Row) Verdict() string {
	if len(r.Goal.figure.Values) == 0 {
		return "–"
	}
	got := gauge.Median(r.Goal.figure.Values)
	if r.Goal.least && got >= r.Goal.limit || !r.Goal.least && got <= r.Goal.limit {
		return "yes"
	}
	return "no"
}

// Missed reports whether a goal was measured and not reached.
func (r Row) Missed() bool { return r.Verdict() == "no" }

// result returns the figure of the goal.
func (r Row) result() string {
	if len(r.Goal.figure.Values) == 0 {
		return "not measured"
	}
	return r.Goal.figure.String()
}
