package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"waxwing/internal/app"
	"waxwing/internal/backup"
	"waxwing/internal/catalog"
)

type backupCmd struct {
	Create  backupCreate  `cmd:"" help:"Write everything that cannot be made again to one file; the server may run."`
	Verify  backupVerify  `cmd:"" help:"Check that a backup is whole."`
	Restore backupRestore `cmd:"" help:"Put a backup in the place of what is there; the server must not run."`
}

// backupLayout is what a backup holds of a data folder. The secrets of the owner and of the player are not among it:
// a server makes new ones when it finds none, and a backup lies in places where no secret should.
func backupLayout() backup.Layout {
	return backup.Layout{Catalog: app.CatalogFile, Files: []string{app.TokensFile, app.JournalFile, app.PlaysFile}, Dirs: []string{app.CoversDir + "/kept"}}
}

type backupCreate struct {
	catalogAccess
	File string `arg:"" optional:"" type:"path" help:"File to write (default: waxwing-DATE.tar here)."`
}

func (c *backupCreate) Run(ctx context.Context, std IO) error {
	to := c.File
	if to == "" {
		to = "waxwing-" + time.Now().Format("2006-01-02-150405") + ".tar"
	}
	if err := c.onlySQLite(); err != nil {
		return err
	}
	err := c.with(ctx, std, func(store *catalog.Store) error {
		return backup.Create(ctx, store, string(c.DataDir), to, backupLayout())
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(std.Out, to)
	return err
}

// onlySQLite refuses what PostgreSQL has better tools for.
func (c catalogAccess) onlySQLite() error {
	if c.DB != "" || c.DBFile != "" {
		return usage("a catalog in another database is backed up with that database's own tools (pg_dump)")
	}
	return nil
}

type backupVerify struct {
	File string `arg:"" type:"existingfile" help:"The backup."`
}

func (c *backupVerify) Run(ctx context.Context, std IO) error {
	s, err := backup.Verify(ctx, c.File, backupLayout())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.Out, "The backup of %s is whole: %d files.\n", s.CreatedAt.Local().Format(time.DateTime), s.Files)
	return err
}

type backupRestore struct {
	catalogAccess
	File string `arg:"" type:"existingfile" help:"The backup."`
}

func (c *backupRestore) Run(ctx context.Context, std IO) (err error) {
	if err := c.onlySQLite(); err != nil {
		return err
	}
	if err := c.DataDir.Create(); err != nil {
		return err
	}
	release, err := c.DataDir.LockAll()
	if err != nil {
		return err
	}
	defer func() { release(); err = errors.Join(err, restoreOwner(c.DataDir)) }()
	s, before, err := backup.Restore(ctx, c.File, string(c.DataDir), backupLayout())
	if err != nil {
		return err
	}
	// What clients have cached of the catalog that was there must not pass for this one.
	if err := c.with(ctx, std, func(store *catalog.Store) error { return store.RenewEpoch(ctx) }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.Out, "Restored the backup of %s. What was there is in %s.\n", s.CreatedAt.Local().Format(time.DateTime), before)
	return err
}
