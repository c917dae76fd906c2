package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// fuzzRecord has a line for the last long run of each fuzz target, written by scripts/fuzz.
const fuzzRecord = "e2e/trust/fuzz_record.jsonl"

// fuzzEnough is how long each target has to run without a crasher, once.
const fuzzEnough = 5 * time.Minute

// fuzzRun is one run of one fuzz target, a line written by scripts/fuzz.
type fuzzRun struct {
	Target   string // dir.Name
	Date     string
	Revision string
	Seconds  int
	Inputs   int
	Crashers int
	Attempt  int // above 1 if a busy machine stopped the runs before; 0 in old records
}

// enough reports whether the run was long enough and found nothing.
func (r fuzzRun) enough() bool {
	return r.Crashers == 0 && time.Duration(r.Seconds)*time.Second >= fuzzEnough
}

// readFuzzRuns reads lines written by scripts/fuzz. Without a file there are none.
func readFuzzRuns(path string) (runs []fuzzRun, err error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		var r fuzzRun
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// fuzz runs every fuzz target for a few seconds, or in the long form for minutes, which it records.
func fuzz(ctx context.Context, dir string, long bool) (result, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return result{}, err
	}
	duration, record := "2s", filepath.Join(dir, "fuzz.jsonl")
	if long {
		duration, record = fuzzEnough.String(), fuzzRecord
	}
	start := time.Now()
	cmd := exec.CommandContext(ctx, "scripts/fuzz")
	cmd.Env = append(os.Environ(), "FUZZTIME="+cmp.Or(os.Getenv("FUZZTIME"), duration), "FUZZRECORD="+record)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		return result{}, err
	}
	runs, readErr := readFuzzRuns(record)
	recorded, recordErr := readFuzzRuns(fuzzRecord)
	if err := errors.Join(readErr, recordErr); err != nil {
		return result{}, err
	}
	r := sumFuzzRuns(runs, recorded)
	r.took, r.failed = time.Since(start), err != nil
	return r, nil
}

// sumFuzzRuns is the result of the runs. It is short unless each target ran long enough, now or in
// a recorded run.
func sumFuzzRuns(runs, recorded []fuzzRun) result {
	r := result{test: "scripts/fuzz", reported: true}
	shortest, longest, without, repeated := 1<<62, 0, 0, 0
	for _, run := range runs {
		r.inputs += run.Inputs
		r.violations += run.Crashers
		repeated += max(run.Attempt-1, 0)
		shortest, longest = min(shortest, run.Seconds), max(longest, run.Seconds)
		before := slices.ContainsFunc(recorded, func(old fuzzRun) bool { return old.Target == run.Target && old.enough() })
		if !before && !run.enough() {
			without++
		}
	}
	note := fmt.Sprintf("%d targets for %d to %d s each, %d crashers, %d runs repeated", len(runs), shortest, longest,
		r.violations, repeated)
	if without > 0 {
		r.short = true
		note += fmt.Sprintf("; %d targets never ran for %v without a crasher", without, fuzzEnough)
	} else {
		note += fmt.Sprintf("; each target ran for %v without a crasher, now or as recorded below", fuzzEnough)
	}
	r.notes = []string{note}
	return r
}

// writeFuzzRuns writes the table of the recorded runs.
func writeFuzzRuns(b *strings.Builder, runs []fuzzRun) {
	b.WriteString("\n## Long fuzz runs\n\nThe last run of each fuzz target by `make fuzz LONG=1`. Inputs that crashed a " +
		"target stay in `testdata/fuzz` of its package, and every run of the tests repeats them.\n\n" +
		"| target | date | revision | time | inputs | crashers |\n|---|---|---|--:|--:|--:|\n")
	for _, r := range runs {
		fmt.Fprintf(b, "| `%s` | %s | %s | %d s | %s | %d |\n", r.Target, r.Date, r.Revision, r.Seconds,
			grouped(r.Inputs), r.Crashers)
	}
}
