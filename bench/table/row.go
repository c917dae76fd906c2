// Package table is how the bench tells its results: rows with figures, their spread, a goal and whether it is reached.
package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"waxwing/bench/gauge"
)

// Figure is one thing measured several times.
type Figure struct {
	Of     string // who or what: ours, floor, MPD, …
	Values []float64
	Unit   string // written after the number
}

// String is the median and, where it was measured more than once, the least and the most.
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

// number has three digits that count.
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

// Goal is what a row asks for: a figure that is to be at least or at most so much.
type Goal struct {
	figure Figure
	limit  float64
	least  bool
	text   string
}

// AtLeast asks for a median that is not below limit.
func AtLeast(limit float64, values []float64, unit string) Goal {
	return Goal{Figure{Values: values, Unit: unit}, limit, true, "≥ " + number(limit) + unit}
}

// AtMost asks for a median that is not above limit.
func AtMost(limit float64, values []float64, unit string) Goal {
	return Goal{Figure{Values: values, Unit: unit}, limit, false, "≤ " + number(limit) + unit}
}

// AtMostShown asks for a median that is not above limit, as a person rounds it to one digit after the point.
func AtMostShown(limit float64, values []float64, unit string) Goal {
	g := AtMost(limit+0.0499999, values, unit)
	g.text = fmt.Sprintf("%.1f%s", limit, unit)
	return g
}

// Row is a line of the table.
type Row struct {
	Key    string // by which -only names it
	What   string
	Ours   Figure
	Beside []Figure
	Goal   Goal
	Absent []string // what could not be measured, and why, as sentences
	Note   string   // what a reader must know to judge the figures
}

// Verdict is whether the goal is reached, for a person.
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

// result is the figure that the goal speaks of.
func (r Row) result() string {
	if len(r.Goal.figure.Values) == 0 {
		return "not measured"
	}
	return r.Goal.figure.String()
}
