package cli

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"waxwing/internal/app"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/library"
	"waxwing/internal/library/s3"
	"waxwing/internal/scan"
)

type scanCmd struct {
	catalogAccess
	storageSettings
	Music  folderList `name:"music" sep:"none" env:"WAXWING_MUSIC" placeholder:"DIR" help:"Folder with music to scan, or s3://BUCKET/PREFIX (several: separated as in PATH, or repeated; default: the folders of the catalog). Songs of other folders are not changed."`
	Forget []string   `name:"forget" sep:"none" placeholder:"DIR" help:"Remove the songs of this folder, unless they are found elsewhere (repeatable)."`
	Full   bool       `name:"full" help:"Read all files again, including unchanged ones."`
	DryRun bool       `name:"dry-run" help:"Report what would change, and change nothing."`
	Errors bool       `name:"errors" help:"List unreadable files, and do not scan."`
	JSON   bool       `name:"json" help:"Print JSON."`
}

func (c *scanCmd) Run(ctx context.Context, std IO) error {
	if err := c.check(); err != nil {
		return err
	}
	return c.with(ctx, std, func(store *catalog.Store) error {
		if c.Errors {
			return c.problems(ctx, std, store)
		}
		forget, err := c.rootsToForget(ctx, store)
		if err != nil {
			return err
		}
		roots, err := c.roots(ctx, std, store, forget)
		if err != nil {
			return err
		}
		turns := c.DataDir.ScanLock(store, func() {
			_, _ = fmt.Fprintln(std.Err, "another scan is running; this one starts when it ends (Ctrl-C to cancel)")
		})
		scanner := scan.New(store, roots, turns, slog.New(slog.DiscardHandler)) // the report has everything that it logs
		scanner.FindRoots(func(name string) (library.Root, error) {
			return app.OpenRoot(name, c.storageSettings.config())
		})
		stop := followScan(std, scanner)
		report, err := scanner.Scan(ctx, scan.Options{Full: c.Full, DryRun: c.DryRun,
			Forget: func(root string) bool { return slices.Contains(forget, root) }})
		stop()
		if err != nil {
			return err
		}
		return c.print(std, report)
	})
}

// print prints the report. An unavailable folder fails the command, because its songs were not
// checked.
func (c *scanCmd) print(std IO, report scan.Report) error {
	var err error
	if c.JSON {
		err = printJSON(std.Out, report)
	} else {
		_, err = fmt.Fprintf(std.Out, "%d files in %v: %d added, %d changed, %d moved, %d restored, %d missing, %d "+
			"unchanged, %d unreadable%s\n",
			report.Files, report.Took.Round(time.Millisecond), report.Added, report.Changed, report.Moved, report.Restored,
			report.Missing,
			report.Unchanged, report.Problems, map[bool]string{true: " (see: waxwing scan --errors)"}[report.Problems > 0])
	}
	if err != nil {
		return err
	}
	for _, dir := range report.Unreadable {
		fmt.Fprintf(std.Err, "%s cannot be read; its songs are not changed.\n", plain(dir))
	}
	for _, u := range report.Unavailable {
		fmt.Fprintf(std.Err, "%s is unavailable (%s); its songs are not changed.\n", plain(u.Folder), plain(u.Reason))
	}
	if len(report.Unavailable) > 0 {
		return fault.New(fault.Unavailable, "a music folder is unavailable; scan again when it is back, "+
			"or remove its songs with --forget DIR")
	}
	return nil
}

// check returns an error for a folder that does not exist, before the database is opened.
func (c *scanCmd) check() error {
	folders := slices.DeleteFunc(slices.Clone(c.Music), func(dir string) bool { return dir == app.DemoLibrary().Name() })
	return c.storageSettings.check(folders)
}

// rootsToForget returns the folders whose songs to remove. An unknown one is an error.
func (c *scanCmd) rootsToForget(ctx context.Context, store *catalog.Store) ([]string, error) {
	if len(c.Forget) == 0 {
		return nil, nil
	}
	known, err := store.Roots(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, dir := range c.Forget {
		name, err := rootName(dir, c.storageSettings.config())
		if err != nil || !slices.Contains(known, name) {
			return nil, settingError("forget", "--forget %s: the catalog has no songs from this folder; nothing was scanned",
				dir)
		}
		names = append(names, name)
	}
	return names, nil
}

// roots returns the folders to scan: the given ones, or those of the catalog, without those in
// forget.
func (c *scanCmd) roots(ctx context.Context, std IO, store *catalog.Store, forget []string) ([]library.Root, error) {
	used, err := store.RootsInUse(ctx)
	if err != nil {
		return nil, err
	}
	used = slices.DeleteFunc(used, func(name string) bool { return slices.Contains(forget, name) })
	names := []string(c.Music)
	if len(names) == 0 {
		names = used
	}
	var roots []library.Root
	for _, name := range names {
		root, err := app.OpenRoot(name, c.storageSettings.config())
		if err != nil {
			return nil, usage("the music folder %s cannot be used: %v", name, err)
		}
		if root.Dir() != "" {
			if around := parentRoot(root.Name(), used); around != "" {
				fmt.Fprintf(std.Err, "%s is part of the music folder %s, which is scanned instead.\n", plain(name), plain(around))
				if root, err = library.NewFolder(around); err != nil {
					return nil, err
				}
			}
		}
		if !slices.Contains(forget, root.Name()) && !slices.ContainsFunc(roots,
			func(r library.Root) bool { return r.Name() == root.Name() }) {
			roots = append(roots, root)
		}
	}
	if len(roots)+len(forget) == 0 {
		return nil, usage("choose a folder with --music DIR")
	}
	return roots, nil
}

// rootName returns the name that a folder has in the catalog.
func rootName(dir string, cfg s3.Config) (string, error) {
	root, err := app.OpenRoot(dir, cfg)
	if err != nil {
		return "", err
	}
	return root.Name(), nil
}

// parentRoot returns the folder in use that contains name; "" if none does. A server finds songs
// only by the folders of its configuration, so a part of one is not scanned as a folder of its own.
func parentRoot(name string, used []string) string {
	if slices.Contains(used, name) {
		return ""
	}
	for _, root := range used {
		if strings.HasPrefix(name, root+string(filepath.Separator)) {
			return root
		}
	}
	return ""
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
		if _, err := fmt.Fprintf(std.Out, "%s/%s: %s\n", plain(p.File.Root), plain(p.File.Path),
			plain(p.Sentence)); err != nil {
			return err
		}
	}
	if len(problems) == 0 {
		_, err = fmt.Fprintln(std.Out, "All files could be read.")
	}
	return err
}

// followScan shows a progress bar on a terminal until stop is called.
func followScan(std IO, scanner *scan.Scanner) (stop func()) {
	if !std.Terminal {
		return func() {}
	}
	bar := progressbar.NewOptions64(
		-1,
		progressbar.OptionSetWriter(std.Err),
		progressbar.OptionSetDescription("scanning"),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("files"),
		progressbar.OptionClearOnFinish(),
	)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				_ = bar.Finish() // not worth failing for
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
