package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

type upCmd struct {
	place
	logSettings
	playerSettings
	catalogSettings
	auditSettings
	operatorSettings
}

// Run starts both roles in one process. They meet over HTTP all the same.
func (c *upCmd) serve(ctx context.Context, std IO, version versionString) error {
	log := c.logger(std.Err, std.Terminal)
	if err := c.playerSettings.check(); err != nil {
		return err
	}
	record, err := c.auditSettings.open(c.place, log)
	if err != nil {
		return err
	}
	defer record.Close()
	op, err := c.operate(ctx, string(version), slices.Concat(c.CatalogHosts, c.PlayerHosts), log)
	if err != nil {
		return err
	}
	defer op.end()
	cat, err := openCatalog(ctx, c.place, c.catalogSettings, op, record)
	if err != nil {
		return err
	}
	defer cat.close()
	key, err := cat.playerKey(ctx, c.file(playerKeyFile))
	if err != nil {
		return err
	}
	ln, err := listen(ctx, "player-addr", c.PlayerAddr)
	if err != nil {
		return err
	}
	role := playerRole{place: c.place, set: c.playerSettings, listener: ln, catalogURL: cat.url(), catalogKey: key, op: op, audit: record, log: log}
	fmt.Fprintf(std.Err, "Waxwing %s\n  player   http://%s\n  catalog  %s\n  music    %s\nIn another terminal: waxwing open (the web player) or waxwing play\n",
		version, reachable(ln), cat.url(), c.musicNames())

	return op.run("http://"+reachable(ln)+"/health", cat.store.Ping, func(ctx context.Context) error { return together(ctx, cat, role) })
}

// together runs both roles until ctx is done or one of them fails. The catalog outlives the player by its own
// shutdown, so that a play counted at the last moment still finds it.
func together(ctx context.Context, cat *catalogRole, role playerRole) error {
	catCtx, stopCatalog := context.WithCancel(context.WithoutCancel(ctx))
	defer stopCatalog()
	playCtx, stopPlayer := context.WithCancel(ctx)
	defer stopPlayer()
	var g errgroup.Group
	g.Go(func() error {
		defer stopPlayer()
		return cat.run(catCtx)
	})
	g.Go(func() error {
		defer stopCatalog()
		return role.run(playCtx)
	})
	return g.Wait()
}

func (s catalogSettings) musicNames() string {
	if len(s.Music) == 0 {
		return "the built-in demo library (yours: waxwing up --music DIR)"
	}
	return strings.Join(s.Music, ", ")
}
