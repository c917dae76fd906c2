package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"waxwing/internal/backup"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

type backupCmd struct {
	Create  backupCreate  `cmd:"" help:"Write everything that cannot be made again to one file; the server may run."`
	Verify  backupVerify  `cmd:"" help:"Check that a backup is whole."`
	Restore backupRestore `cmd:"" help:"Put a backup in the place of what is there; the server must not run."`
}

// kept is what a backup holds of a data folder. The secrets of the owner and of the player are not among it:
// a server makes new ones when it finds none, and a backup lies in places where no secret should.
func kept() backup.Layout {
	return backup.Layout{Catalog: catalogFile, Files: []string{tokensFile, journalFile, playsFile}, Dirs: []string{coversDir + "/kept"}}
}

type backupCreate struct {
	catalogPlace
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
	err := c.with(ctx, std, func(store *catalog.Store) error { return backup.Create(ctx, store, c.DataDir, to, kept()) })
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(std.Out, to)
	return err
}

// onlySQLite refuses what PostgreSQL has better tools for.
func (c catalogPlace) onlySQLite() error {
	if c.DB != "" || c.DBFile != "" {
		return usage("a catalog in another database is backed up with that database's own tools (pg_dump)")
	}
	return nil
}

type backupVerify struct {
	File string `arg:"" type:"existingfile" help:"The backup."`
}

func (c *backupVerify) Run(ctx context.Context, std IO) error {
	s, err := backup.Verify(ctx, c.File, kept())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.Out, "The backup of %s is whole: %d files.\n", s.CreatedAt.Local().Format(time.DateTime), s.Files)
	return err
}

type backupRestore struct {
	catalogPlace
	File string `arg:"" type:"existingfile" help:"The backup."`
}

func (c *backupRestore) Run(ctx context.Context, std IO) (err error) {
	if err := c.onlySQLite(); err != nil {
		return err
	}
	if err := c.prepare(); err != nil {
		return err
	}
	release, err := c.alone()
	if err != nil {
		return err
	}
	defer func() { release(); err = errors.Join(err, c.giveBack()) }()
	s, before, err := backup.Restore(ctx, c.File, c.DataDir, kept())
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

// alone keeps servers and scans off the data folder until release is called. It refuses while one is at work: what
// it has open would be replaced under it. The locks tell, which end with the process that holds them however it dies.
func (p place) alone() (release func(), err error) {
	var held []func()
	release = func() {
		for _, unlock := range held {
			unlock()
		}
	}
	for _, who := range []string{"catalog", "player", "scan"} {
		unlock, err := p.lock(who)
		if err == nil {
			held = append(held, unlock)
			continue
		}
		release()
		if kind, _ := fault.Of(err); kind == fault.Conflict {
			return nil, fault.New(fault.Conflict, "a %s is running on the data folder %s and would go on writing to what is replaced: stop it first", who, p.DataDir)
		}
		return nil, err
	}
	return release, nil
}
