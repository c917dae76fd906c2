package cli

import (
	"context"
	"errors"
	"log/slog"

	"waxwing/internal/app"
	"waxwing/internal/catalog"
)

// catalogAccess is embedded by commands that open the database, whether or not a server is running.
type catalogAccess struct {
	commonSettings
	databaseSettings
}

// with opens the catalog, runs f and closes it again.
func (c catalogAccess) with(ctx context.Context, std IO, f func(*catalog.Store) error) (err error) {
	if err := c.DataDir.Create(); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(std.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	db, err := c.database(c.DataDir)
	if err != nil {
		return err
	}
	store, err := c.DataDir.OpenCatalog(ctx, catalog.Config{DB: db, Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close(), restoreOwner(c.DataDir)) }()
	if _, err := store.EnsureUser(ctx, app.AccountName()); err != nil {
		return err
	}
	return f(store)
}
