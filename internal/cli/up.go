package cli

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

type upCmd struct {
	place
	logSettings
	playerSettings
	catalogSettings
	auditSettings
}

// Run starts both roles in one process. They meet over HTTP all the same.
func (c *upCmd) Run(ctx context.Context, std IO, version versionString) error {
	log := c.logger(std.Err, std.Terminal)
	if err := c.playerSettings.check(); err != nil {
		return err
	}
	record := c.auditSettings.open(c.place, log)
	defer record.Close()
	cat, err := openCatalog(ctx, c.place, c.catalogSettings, string(version), record, log)
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
	role := playerRole{place: c.place, set: c.playerSettings, listener: ln, catalogURL: cat.url(), catalogKey: key, version: string(version), audit: record, log: log}
	fmt.Fprintf(std.Err, "Waxwing %s\n  player   http://%s\n  catalog  %s\n  music    %s\nIn another terminal: waxwing open (the web player) or waxwing play\n",
		version, reachable(ln), cat.url(), c.musicNames())

	// The catalog outlives the player by its own shutdown, so that a play
	// counted at the last moment still finds it.
	catCtx, stopCatalog := context.WithCancel(context.WithoutCancel(ctx))
	defer stopCatalog()
	var g errgroup.Group
	failed := make(chan struct{})
	g.Go(func() error {
		defer close(failed)
		return cat.run(catCtx)
	})
	playCtx, stopPlayer := context.WithCancel(ctx)
	defer stopPlayer()
	g.Go(func() error {
		select {
		case <-failed:
			stopPlayer()
		case <-playCtx.Done():
		}
		return nil
	})
	g.Go(func() error {
		defer stopCatalog()
		defer stopPlayer()
		return role.run(playCtx)
	})
	return g.Wait()
}

func (s catalogSettings) musicNames() string {
	if len(s.Music) == 0 {
		return "the built-in demo library (yours: waxwing up --music DIR)"
	}
	return fmt.Sprint(s.Music)
}
