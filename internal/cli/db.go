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
	Move dbMove `cmd:"" help:"Carry a whole catalog into another, empty database and verify it."`
}

type dbMove struct {
	catalogAccess
	From string `name:"from" placeholder:"DB" help:"Where the catalog is: a SQLite file or postgres://… (default: as --db and --db-file say)."`
	To   string `name:"to" required:"" placeholder:"DB" help:"Where it goes: a SQLite file that does not exist yet, or the URL of an empty PostgreSQL database."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Help is what --help adds: whoever moves a catalog wants to know first what it does not do.
func (c *dbMove) Help() string {
	return `Everything goes along: songs with their ids, playlists, users, keys, plays, links that were signed, the revision. ` +
		`Keys and links that clients hold stay good. The source is only read, as of the moment the move begins: servers may go on, ` +
		`but what they write after that moment is not carried, so stop them first if nothing may be missed. ` +
		`The target must be empty. It is read back afterwards and compared with the source, table by table; until then servers refuse it. ` +
		`A move that was interrupted is simply run again.

Pictures that users uploaded are files in the data folder (covers/backupLayout), not rows: copy that folder to machines that have another one.`
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
		unlock, err := c.DataDir.Lock("catalog") // no server starts meanwhile
		if err != nil {
			fmt.Fprintln(std.Err, "A server is running on this catalog. What it writes from now on is not carried.")
		} else {
			defer unlock()
		}
	}
	plan := move.Plan{From: from, To: c.To, Log: log}
	if std.Terminal {
		bar := progressbar.NewOptions64(-1, progressbar.OptionSetWriter(std.Err), progressbar.OptionSetDescription("moving"),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionSetItsString("rows"), progressbar.OptionClearOnFinish())
		plan.Progress = func(done, total int64) {
			bar.ChangeMax64(max(total, 1))
			_ = bar.Set64(done) // a bar that cannot be drawn is no reason to fail
		}
		defer func() { _ = bar.Finish() }() // likewise
	}
	report, err := move.Run(ctx, plan)
	if errors.Is(err, context.Canceled) {
		return fault.New(fault.Conflict, "the move was interrupted: the source is as it was, the target may be refused by servers; run the same command again")
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(std.Out, report)
	}
	t := newTable(std.Out, "TABLE", "ROWS", "SUM ON BOTH SIDES")
	for _, row := range report.Tables {
		t.row(row.Name, fmt.Sprint(row.Rows), row.Sum[:16])
	}
	if err := t.flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.Out, "\n%d rows moved from %s to %s and read back the same, at revision %d, in %v.\nStart servers with --db %s\n",
		report.Rows, report.FromEngine, report.ToEngine, report.Revision, report.Took.Round(time.Millisecond), catalog.RedactDSN(c.To))
	return err
}
