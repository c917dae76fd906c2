// Command trust runs the proofs behind every promise that Waxwing publishes and writes one page of
// what they tried and what came of it. Nothing on the page is typed by hand: rows are found in the
// tests that report to them, and a row without a report makes the command fail.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	page := flag.String("page", "docs/trust.md", "where to write the page")
	long := flag.Bool("long", false, "run the long forms: hours")
	only := flag.String("only", "", "run this one row, and write no page")
	flag.Parse()
	whole, err := prove(ctx, *page, *only, *long)
	if err != nil {
		fmt.Fprintln(os.Stderr, "trust:", err)
		os.Exit(1)
	}
	if !whole {
		os.Exit(1)
	}
}

// prove runs the proofs and writes the page. It reports whether every row was tried and held.
func prove(ctx context.Context, page, only string, long bool) (whole bool, err error) {
	began := time.Now()
	proofs, err := discover(".")
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "waxwing-trust-")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // only lines that are on the page by then
	results := make(map[string][]result)
	for _, p := range byPackage(proofs, only) {
		fmt.Fprintf(os.Stderr, "%s: %d tests\n", p.dir, len(p.tests))
		found, err := p.run(ctx, filepath.Join(dir, filepath.Base(p.dir)), long)
		if err != nil {
			return false, err
		}
		for row, r := range found {
			results[row] = append(results[row], r...)
		}
	}
	if only == "" || only == fuzzRow {
		r, err := fuzz(ctx, filepath.Join(dir, "fuzz"), long)
		if err != nil {
			return false, err
		}
		results[fuzzRow] = append(results[fuzzRow], r)
	}
	whole = true
	for _, row := range rows {
		if only == "" || only == row.id {
			verdict := judge(results[row.id])
			whole = whole && verdict == held
			fmt.Fprintf(os.Stderr, "%-4s %s\n", row.id, verdict)
		}
	}
	if only != "" {
		return whole, nil
	}
	text := write(results, describe(ctx, began, long))
	return whole, os.WriteFile(page, []byte(text), 0o644)
}
