package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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
		return backup.Create(ctx, store, string(c.DataDir), to, app.BackupLayout())
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
	s, err := backup.Verify(ctx, c.File, app.BackupLayout())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.Out, "The backup of %s is complete: %d files.\n", s.CreatedAt.Local().Format(time.DateTime),
		s.Files)
	return err
}

type backupRestore struct {
	catalogAccess
	RevokeAll bool   `name:"revoke-all" help:"Revoke all tokens and keys of the backup. Use it if secrets may have leaked, or on another machine, which does not know what was revoked after the backup."`
	File      string `arg:"" type:"existingfile" help:"Backup file."`
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
	log := slog.New(slog.NewTextHandler(std.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	r, err := c.DataDir.Restore(ctx, c.File, c.RevokeAll, log)
	if err != nil {
		return err
	}
	if len(r.Returned) > 0 {
		fmt.Fprintln(std.Err, "These credentials of the backup are valid now. Revoke those that should not be:")
		for _, credential := range r.Returned {
			fmt.Fprintln(std.Err, "  "+plain(credential))
		}
	}
	_, err = fmt.Fprintf(std.Out, "Restored the backup of %s. The previous files are in %s.\n",
		r.CreatedAt.Local().Format(time.DateTime), r.Replaced)
	return err
}
