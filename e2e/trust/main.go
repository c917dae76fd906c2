// Command trust runs the tests behind every promise that Waxwing publishes and writes
// docs/trust.md: what they tried and the results. It finds the tests by their calls of
// testenv.Report. A row without a test is shown as such.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"waxwing/internal/testenv"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	page := flag.String("page", "docs/trust.md", "write the page to this `file`")
	long := flag.Bool("long", false, "run the long forms (takes hours)")
	only := flag.String("only", "", "run only the tests of this `row`, such as S1; write no page")
	flag.Parse()
	ok, err := run(ctx, *page, testenv.Requirement(*only), *long)
	if err != nil {
		fmt.Fprintln(os.Stderr, "trust:", err)
		os.Exit(1)
	}
	if !ok {
		os.Exit(1)
	}
}

// run runs the tests and writes the page. It reports whether every row that has a test held.
func run(ctx context.Context, page string, only testenv.Requirement, long bool) (ok bool, err error) {
	start := time.Now()
	tests, err := discover(".")
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "waxwing-trust-")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the page has its content
	results := make(map[testenv.Requirement][]result)
	for _, s := range byPackage(tests, only) {
		fmt.Fprintf(os.Stderr, "%s: %d tests\n", s.dir, len(s.tests))
		found, err := s.run(ctx, filepath.Join(dir, filepath.Base(s.dir)), long)
		if err != nil {
			return false, err
		}
		for row, r := range found {
			results[row] = append(results[row], r...)
		}
	}
	if only == "" || only == testenv.Fuzzing {
		r, err := fuzz(ctx, filepath.Join(dir, "fuzz"), long)
		if err != nil {
			return false, err
		}
		results[testenv.Fuzzing] = append(results[testenv.Fuzzing], r)
	}
	ok = true
	for _, row := range rows {
		if only == "" || only == row.id {
			ok = ok && judge(results[row.id]).ok()
			fmt.Fprintf(os.Stderr, "%-4s %s\n", row.id, conclusion(results[row.id]))
		}
	}
	if only != "" {
		return ok, nil
	}
	recorded, err := readFuzzRuns(fuzzRecord)
	if err != nil {
		return false, err
	}
	text := write(results, recorded, describe(ctx, start, long))
	return ok, os.WriteFile(page, []byte(text), 0o644)
}
