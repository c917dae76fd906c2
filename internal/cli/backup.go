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
	Create  backupCreate  `cmd:"" help:"Back up the catalog, tokens, queue and uploaded pictures to one file; servers may be running."`
	Verify  backupVerify  `cmd:"" help:"Check that a backup is complete and undamaged."`
	Restore backupRestore `cmd:"" help:"Replace the data folder with a backup; servers must be stopped."`
}

// backupLayout lists what a backup contains. It leaves out the secrets of the owner and the player:
// a server creates new ones, and backups are often stored where secrets should not be.
func backupLayout() backup.Layout {
	return backup.Layout{Catalog: app.CatalogFile, Files: []string{app.TokensFile, app.JournalFile, app.PlaysFile},
		Dirs: []string{app.CoversDir + "/kept"}}
}

type backupCreate struct {
	catalogAccess
	File string `arg:"" optional:"" type:"path" help:"File to write (default: waxwing-DATE.tar in the current folder)."`
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

// onlySQLite returns an error for PostgreSQL, which has its own tools.
func (c catalogAccess) onlySQLite() error {
	if c.DB != "" || c.DBFile != "" {
		return usage("only the catalog of the data folder can be backed up; use pg_dump for PostgreSQL, or copy the " +
			"SQLite file")
	}
	return nil
}

type backupVerify struct {
	File string `arg:"" type:"existingfile" help:"Backup file."`
}

func (c *backupVerify) Run(ctx context.Context, std IO) error {
	s, err := backup.Verify(ctx, c.File, backupLayout())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.Out, "The backup of %s is complete: %d files.\n", s.CreatedAt.Local().Format(time.DateTime),
		s.Files)
	return err
}

type backupRestore struct {
	catalogAccess
	File string `arg:"" type:"existingfile" help:"Backup file."`
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
	// Responses that clients cached from the replaced catalog must not match the restored one.
	if err := c.with(ctx, std, func(store *catalog.Store) error { return store.RenewEpoch(ctx) }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.Out, "Restored the backup of %s. The previous files are in %s.\n",
		s.CreatedAt.Local().Format(time.DateTime), before)
	return err
}
