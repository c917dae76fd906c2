// Sizing computes the hardware that a catalog of a given size needs. It uses the figures of
// bench/RESULTS.md, and measures the disk space of a song and the rate of recorded plays itself
// with a small catalog.
//
//	go run ./bench/sizing                    prints the table
//	go run ./bench/sizing -w docs/scale.md   writes it into the page, between its markers
//	go run ./bench/sizing -db postgres://…   measures in that database, which must be empty
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sizing:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	results := flag.String("results", "bench/RESULTS.md", "file written by make bench")
	page := flag.String("w", "", "page to write the table into")
	db := flag.String("db", "", "database for the small catalog (default: SQLite in a temporary folder)")
	songs := flag.Int("songs", 50_000, "songs of the small catalog")
	flag.Parse()

	text, err := os.ReadFile(*results)
	if err != nil {
		return fmt.Errorf("cannot read the results; run make bench first: %w", err)
	}
	f, err := read(string(text))
	if err != nil {
		return err
	}
	if err := f.measure(ctx, *db, *songs); err != nil {
		return err
	}
	table := f.table(growth)
	if *page == "" {
		_, err := fmt.Print(table)
		return err
	}
	return replace(*page, table)
}

const begin, end = "<!-- sizing: written by `make sizing` -->\n", "<!-- end of sizing -->"

// replace writes the table between the markers of a page.
func replace(page, table string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no markers for the table", page)
	}
	return os.WriteFile(page, []byte(before+begin+table+end+after), 0o644)
}
