package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// verdict is what a row's results come to.
type verdict string

const (
	held    verdict = "held"
	broken  verdict = "**broken**"
	missing verdict = "**missing**"
)

// judge: every test of a row must have passed and reported, and there must be one.
func judge(results []result) verdict {
	if len(results) == 0 {
		return missing
	}
	v := held
	for _, r := range results {
		switch {
		case r.failed || r.violations > 0:
			return broken
		case !r.reported:
			v = missing
		}
	}
	return v
}

// occasion is when, where and of what a page tells.
type occasion struct {
	at       time.Time
	took     time.Duration
	revision string
	machine  string
	long     bool
}

func describe(ctx context.Context, began time.Time, long bool) occasion {
	o := occasion{at: began.UTC(), took: time.Since(began), long: long, revision: "unknown"}
	o.machine = fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	if out, err := exec.CommandContext(ctx, "git", "rev-parse", "HEAD").Output(); err == nil {
		o.revision = strings.TrimSpace(string(out))
	}
	if out, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "--untracked-files=no").Output(); err == nil && len(out) > 0 {
		o.revision += " with changes that are not committed"
	}
	return o
}

// write makes the page.
func write(results map[string][]result, o occasion) string {
	var b strings.Builder
	form := "short"
	if o.long {
		form = "long"
	}
	inputs, faults, violations, holding := 0, 0, 0, 0
	for _, row := range rows {
		for _, r := range results[row.id] {
			inputs, faults, violations = inputs+r.inputs, faults+r.faults, violations+r.violations
		}
		if judge(results[row.id]) == held {
			holding++
		}
	}
	fmt.Fprintf(&b, "# What was tried to break Waxwing\n\nWritten by `make trust` on %s (%s form, %s on %s). Revision %s.\n\n",
		o.at.Format("2006-01-02 15:04 UTC"), form, o.took.Round(time.Second), o.machine, o.revision)
	fmt.Fprintf(&b, "%d of %d rows held: %s inputs, %s faults, **%d violations**.\n\n", holding, len(rows), grouped(inputs), grouped(faults), violations)
	b.WriteString("| row | tried | asked for | must hold | result | inputs | faults | violations |\n|---|---|---|---|---|--:|--:|--:|\n")
	for _, row := range rows {
		total := result{}
		for _, r := range results[row.id] {
			total.inputs, total.faults, total.violations = total.inputs+r.inputs, total.faults+r.faults, total.violations+r.violations
		}
		fmt.Fprintf(&b, "| %s %s | %s | %s | %s | %s | %s | %s | %d |\n", row.id, row.name, row.tried, row.asked, row.holds, judge(results[row.id]), grouped(total.inputs), grouped(total.faults), total.violations)
	}
	b.WriteString("\nWhat is asked for is the least that a row has to try. The short form tries in full what takes seconds; where it tries less, the figures below say so, and `make trust LONG=1` tries the rest.\n" +
		"Random parts begin with a seed that each run prints; `WAXWING_SEED` gives it again.\n")
	b.WriteString("\n## Test by test\n\n| row | test | inputs | faults | violations | took | figures |\n|---|---|--:|--:|--:|--:|---|\n")
	for _, row := range rows {
		for _, r := range results[row.id] {
			figures := strings.Join(r.notes, "; ")
			switch {
			case r.failed:
				figures = strings.TrimPrefix(figures+"; **failed**", "; ")
			case !r.reported:
				figures = "**reported nothing**"
			}
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %d | %s | %s |\n", row.id, r.test, grouped(r.inputs), grouped(r.faults), r.violations, seconds(r.took), cell(figures))
		}
		if len(results[row.id]) == 0 {
			fmt.Fprintf(&b, "| %s | **no test reports to this row** | | | | | |\n", row.id)
		}
	}
	return b.String()
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// grouped writes a number with its thousands apart.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// cell keeps text within its cell.
func cell(text string) string { return strings.NewReplacer("|", "\\|", "\n", " ").Replace(text) }
