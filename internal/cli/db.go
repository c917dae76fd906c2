package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/schollz/progressbar/v3"

	"waxwing/internal/catalog"
	"waxwing/internal/catalog/move"
	"waxwing/internal/fault"
)

type dbCmd struct {
	Move dbMove `cmd:"" help:"Copy the whole catalog to another, empty database and verify the copy."`
}

type dbMove struct {
	catalogAccess
	From string `name:"from" placeholder:"DB" help:"Source: a SQLite file or postgres://… URL (default: --db or --db-file)."`
	To   string `name:"to" required:"" placeholder:"DB" help:"Target: a new SQLite file, or the URL of an empty PostgreSQL database."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Help is printed by --help.
func (c *dbMove) Help() string {
	return `Copies everything: songs with their ids, playlists, users, keys, plays, the key that signs links, ` +
		`and the revision. ` +
		`Clients keep their keys and links. The source is only read, in one snapshot: servers may keep running, ` +
		`but what they write after the start is not copied, so stop them first if nothing may be missed. ` +
		`The target must be empty. It is read back and compared with the source, table by table; ` +
		`until then servers refuse to open it. Run an interrupted move again.

Pictures that users uploaded are files in the data folder (covers/kept), not rows. ` +
		`Copy that folder to machines with another data folder.`
}

func (c *dbMove) Run(ctx context.Context, std IO) error {
	from := c.From
	if from == "" {
		configured, err := c.database(c.DataDir)
		if err != nil {
			return err
		}
		from = configured
	}
	log := slog.New(slog.NewTextHandler(std.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if c.From == "" {
		if err := c.DataDir.Create(); err != nil {
			return err
		}
		unlock, err := c.DataDir.Lock("catalog") // keeps servers from starting during the move
		if err != nil {
			fmt.Fprintln(std.Err, "A server is running on this catalog. What it writes from now on is not copied.")
		} else {
			defer unlock()
		}
	}
	plan := move.Plan{From: from, To: c.To, Log: log}
	if std.Terminal {
		bar := progressbar.NewOptions64(-1, progressbar.OptionSetWriter(std.Err), progressbar.OptionSetDescription("moving"),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString("rows"),
			progressbar.OptionClearOnFinish())
		plan.Progress = func(done, total int64) {
			bar.ChangeMax64(max(total, 1))
			_ = bar.Set64(done) // not worth failing for
		}
		defer func() { _ = bar.Finish() }() // likewise
	}
	report, err := move.Run(ctx, plan)
	if errors.Is(err, context.Canceled) {
		return fault.New(fault.Conflict, "the move was interrupted; the source is unchanged, and servers may refuse to "+
			"open the target: run the same command again")
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(std.Out, report)
	}
	t := newTable(std.Out, "TABLE", "ROWS", "CHECKSUM")
	for _, row := range report.Tables {
		t.row(row.Name, fmt.Sprint(row.Rows), row.Sum[:16])
	}
	if err := t.flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.Out, "\n%d rows copied from %s to %s and verified, at revision %d, in %v.\nStart "+
		"servers with --db %s\n",
		report.Rows, report.FromEngine, report.ToEngine, report.Revision, report.Took.Round(time.Millisecond),
		catalog.RedactDSN(c.To))
	return err
}
