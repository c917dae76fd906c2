package cli

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/schollz/progressbar/v3"

	"waxwing/internal/catalog"
	"waxwing/internal/demo"
	"waxwing/internal/scan"
)

type scanCmd struct {
	catalogPlace
	Music  []string `name:"music" sep:"none" env:"WAXWING_MUSIC" placeholder:"DIR" help:"Folder with music (repeatable; default: those the catalog knows)."`
	Full   bool     `name:"full" help:"Read every file again, also those that have not changed."`
	DryRun bool     `name:"dry-run" help:"Change nothing, only report."`
	Errors bool     `name:"errors" help:"List the files that could not be read, and scan nothing."`
	JSON   bool     `name:"json" help:"Print JSON."`
}

func (c *scanCmd) Run(ctx context.Context, std IO) error {
	return c.with(ctx, std, func(store *catalog.Store) error {
		if c.Errors {
			return c.problems(ctx, std, store)
		}
		roots, err := c.roots(ctx, store)
		if err != nil {
			return err
		}
		turns := c.scanTurns(store, func() {
			_, _ = fmt.Fprintln(std.Err, "another scan is running; this one begins when it has ended (Ctrl-C gives up)") // a courtesy
		})
		scanner := scan.New(store, roots, turns, slog.New(slog.DiscardHandler))
		stop := followScan(std, scanner)
		report, err := scanner.Scan(ctx, scan.Options{Full: c.Full, DryRun: c.DryRun})
		stop()
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(std.Out, report)
		}
		_, err = fmt.Fprintf(std.Out, "%d files in %v: %d added, %d changed, %d moved, %d back, %d gone, %d unchanged, %d could not be read%s\n",
			report.Files, report.Took.Round(time.Millisecond), report.Added, report.Changed, report.Moved, report.Restored, report.Lost,
			report.Unchanged, report.Problems, map[bool]string{true: " (see: waxwing scan --errors)"}[report.Problems > 0])
		return err
	})
}

// roots are the folders named, or those the catalog was filled from.
func (c *scanCmd) roots(ctx context.Context, store *catalog.Store) ([]scan.Root, error) {
	names := c.Music
	if len(names) == 0 {
		known, err := store.Roots(ctx)
		if err != nil {
			return nil, err
		}
		names = known
	}
	var roots []scan.Root
	for _, name := range names {
		if built := scan.Embedded("demo", demo.FS()); name == built.Name() {
			roots = append(roots, built)
			continue
		}
		root, err := scan.Folder(name)
		if err != nil {
			return nil, usage("the music folder %s cannot be used: %v", name, err)
		}
		roots = append(roots, root)
	}
	if len(roots) == 0 {
		return nil, usage("name a folder with --music DIR")
	}
	return roots, nil
}

func (c *scanCmd) problems(ctx context.Context, std IO, store *catalog.Store) error {
	problems, err := store.Problems(ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(std.Out, problems)
	}
	for _, p := range problems {
		if _, err := fmt.Fprintf(std.Out, "%s/%s: %s\n", plain(p.File.Root), plain(p.File.Path), plain(p.Sentence)); err != nil {
			return err
		}
	}
	if len(problems) == 0 {
		_, err = fmt.Fprintln(std.Out, "Every file could be read.")
	}
	return err
}

// followScan shows a bar on a terminal until the returned function is called.
func followScan(std IO, scanner *scan.Scanner) (stop func()) {
	if !std.Terminal {
		return func() {}
	}
	bar := progressbar.NewOptions64(-1, progressbar.OptionSetWriter(std.Err), progressbar.OptionSetDescription("scanning"),
		progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString("files"), progressbar.OptionClearOnFinish())
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				_ = bar.Finish() // a bar that cannot be drawn is no reason to fail
				return
			case <-tick.C:
				p := scanner.Progress()
				if p.Total > 0 {
					bar.ChangeMax64(max(p.Total, 1))
					_ = bar.Set64(p.Done) // likewise
				}
			}
		}
	}()
	return func() { close(done); <-ended }
}
