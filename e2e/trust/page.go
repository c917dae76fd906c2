package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"waxwing/internal/testenv"
)

// verdict summarizes the results of a row.
type verdict string

const (
	held     verdict = "held"
	short    verdict = "short" // nothing was violated, but less was tried than the row requires
	broken   verdict = "**broken**"
	missing  verdict = "**missing**"    // a test passed without a report
	untested verdict = "**not tested**" // no test exists
)

// ok reports whether nothing is known to be wrong.
func (v verdict) ok() bool { return v == held || v == short || v == untested }

// judge returns held if the row has tests, and each of them passed and tried what is required.
func judge(results []result) verdict {
	if len(results) == 0 {
		return untested
	}
	v := held
	for _, r := range results {
		switch {
		case r.failed || r.violations > 0:
			return broken
		case !r.reported:
			v = missing
		case r.short && v == held:
			v = short
		}
	}
	return v
}

// conclusion is the text of the result column: the verdict, and the allowances that it depends on.
func conclusion(results []result) string {
	text := string(judge(results))
	var allowances []string
	for _, r := range results {
		for _, a := range r.allowances {
			if !slices.Contains(allowances, a) {
				allowances = append(allowances, a)
			}
		}
	}
	if len(allowances) > 0 {
		text += " (" + strings.Join(allowances, ", ") + ")"
	}
	return text
}

// environment is when and where the tests ran.
type environment struct {
	start    time.Time
	took     time.Duration
	revision string
	machine  string
	long     bool
}

func describe(ctx context.Context, start time.Time, long bool) environment {
	e := environment{start: start.UTC(), took: time.Since(start), long: long, revision: "unknown"}
	e.machine = fmt.Sprintf("%s/%s, %d cores, %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	if out, err := exec.CommandContext(ctx, "git", "rev-parse", "HEAD").Output(); err == nil {
		e.revision = strings.TrimSpace(string(out))
	}
	status := exec.CommandContext(ctx, "git", "status", "--porcelain", "--untracked-files=no")
	if out, err := status.Output(); err == nil && len(out) > 0 {
		e.revision += " with uncommitted changes"
	}
	return e
}

// write returns the text of the page. runs are the recorded fuzz runs.
func write(results map[testenv.Requirement][]result, runs []fuzzRun, e environment) string {
	var b strings.Builder
	form := "short"
	if e.long {
		form = "long"
	}
	all := result{}
	having := map[verdict][]string{}
	for _, row := range rows {
		all.count(results[row.id])
		v := judge(results[row.id])
		having[v] = append(having[v], string(row.id))
	}
	fmt.Fprintf(&b, "# What was tried to break Waxwing\n\nWritten by `make trust` on %s (%s form, %s on %s). "+
		"Revision %s.\n\n",
		e.start.Format("2006-01-02 15:04 UTC"), form, e.took.Round(time.Second), e.machine, e.revision)
	fmt.Fprintf(&b, "%d of %d rows held", len(having[held]), len(rows))
	if n := len(having[short]); n > 0 {
		fmt.Fprintf(&b, ", and %d in a short form that tried less than required", n)
	}
	fmt.Fprintf(&b, ": %s inputs, %s faults, **%d violations**.\n",
		grouped(all.inputs), grouped(all.faults), all.violations)
	for _, list := range []struct {
		name string
		rows []string
	}{{"Broken", having[broken]}, {"Missing", having[missing]}, {"Not tested", having[untested]}} {
		if len(list.rows) > 0 {
			fmt.Fprintf(&b, "%s: %s.\n", list.name, strings.Join(list.rows, ", "))
		}
	}
	b.WriteString("\n")
	b.WriteString("| row | tried | requirement | expected | result | inputs | faults | violations |\n" +
		"|---|---|---|---|---|--:|--:|--:|\n")
	for _, row := range rows {
		total := result{}
		total.count(results[row.id])
		fmt.Fprintf(&b, "| %s %s | %s | %s | %s | %s | %s | %s | %d |\n",
			row.id, row.name, row.tried, row.required, row.expected, conclusion(results[row.id]),
			grouped(total.inputs), grouped(total.faults), total.violations)
	}
	b.WriteString("\nThe requirement is the least that a row has to try. *Held*: all of it was tried, and nothing was " +
		"violated. *Short*: nothing was violated, but less was tried; the figures below say how much, and " +
		"`make trust LONG=1` tries the rest. What a result depends on beyond the requirement, such as a second attempt, " +
		"is in brackets.\n" +
		"Random parts start from a new seed in each run and print it; set `WAXWING_SEED` to repeat a run.\n")
	b.WriteString("\n## Tests\n\n" +
		"| row | test | inputs | faults | violations | time | figures |\n|---|---|--:|--:|--:|--:|---|\n")
	for _, row := range rows {
		for _, r := range results[row.id] {
			figures := strings.Join(slices.Concat(r.notes, r.allowances), "; ")
			switch {
			case r.failed:
				figures = strings.TrimPrefix(figures+"; **failed**", "; ")
			case !r.reported:
				figures = "**reported nothing**"
			}
			fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %d | %s | %s |\n", row.id, r.test,
				grouped(r.inputs), grouped(r.faults), r.violations, seconds(r.took), cell(figures))
		}
		if len(results[row.id]) == 0 {
			fmt.Fprintf(&b, "| %s | **no test** | | | | | |\n", row.id)
		}
	}
	writeFuzzRuns(&b, runs)
	return b.String()
}

// count adds the counts of results.
func (r *result) count(results []result) {
	for _, one := range results {
		r.inputs += one.inputs
		r.faults += one.faults
		r.violations += one.violations
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// grouped formats a number with commas between groups of three digits.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// cell escapes text for a cell of a Markdown table.
func cell(text string) string { return strings.NewReplacer("|", "\\|", "\n", " ").Replace(text) }
