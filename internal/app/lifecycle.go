package app

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// openOperator opens the operator's listener, if one is configured.
func (a *App) openOperator(ctx context.Context) (err error) {
	if a.cfg.MetricsAddr == "" {
		return nil
	}
	if a.operator, err = a.listen(ctx, "operator", "metrics-addr", a.cfg.MetricsAddr); err != nil {
		return err
	}
	a.MetricsURL = "http://" + reachable(a.operator)
	return nil
}

// planShutdown sets up the two steps of a shutdown: draining is done with ctx, serving is done
// after the drain time.
func (a *App) planShutdown(ctx context.Context) {
	a.draining = ctx
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	a.serving = serving
	timer := time.AfterFunc(time.Hour, stop)
	timer.Stop()
	unregister := context.AfterFunc(ctx, func() {
		if a.cfg.Drain > 0 {
			a.log.Info("shutting down: still serving, but not ready", "for", a.cfg.Drain)
		}
		timer.Reset(a.cfg.Drain)
	})
	a.onRelease(func() {
		unregister()
		timer.Stop()
		stop()
	})
}

// ready returns why a load balancer should send no requests to this process, whatever its roles.
func (a *App) ready() error {
	if a.draining.Err() != nil {
		return fault.New(fault.Unavailable, "this server is stopping")
	}
	return nil
}

// run serves until the shutdown is complete or a role fails. The operator is served until the roles
// have stopped.
func (a *App) run() error {
	ctx, stop := context.WithCancel(a.serving)
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer stop()
		return a.runRoles(ctx)
	})
	if a.operator != nil {
		g.Go(func() error { return httpkit.Serve(ctx, a.operator, a.operatorServer(), a.log) })
	}
	g.Go(func() error {
		if err := a.cfg.Notify.Supervise(ctx, a.draining, alive(cmp.Or(a.PlayerURL, a.CatalogURL))); err != nil {
			a.log.Warn("cannot notify the service manager", "err", err)
		}
		return nil
	})
	return g.Wait()
}

// runRoles runs the roles until ctx is done or one of them fails. The catalog stops after the
// player, so that a play counted during the player's shutdown is still reported.
func (a *App) runRoles(ctx context.Context) error {
	switch {
	case a.player == nil:
		return a.catalog.run(ctx)
	case a.catalog == nil:
		return a.player.run(ctx)
	}
	catalogCtx, stopCatalog := context.WithCancel(context.WithoutCancel(ctx))
	defer stopCatalog()
	playerCtx, stopPlayer := context.WithCancel(ctx)
	defer stopPlayer()
	var g errgroup.Group
	g.Go(func() error {
		defer stopPlayer()
		return a.catalog.run(catalogCtx)
	})
	g.Go(func() error {
		defer stopCatalog()
		return a.player.run(playerCtx)
	})
	return g.Wait()
}

func (a *App) operatorServer() http.Handler {
	var hosts []string
	if a.cfg.Catalog != nil {
		hosts = append(hosts, a.cfg.Catalog.Hosts...)
	}
	if a.cfg.Player != nil {
		hosts = append(hosts, a.cfg.Player.Hosts...)
	}
	var storage func(context.Context) string
	if a.catalog != nil {
		storage = a.catalog.storageProblem
	}
	return httpkit.NewOperator(httpkit.Operator{
		Storage: storage,
		Version: a.cfg.Version, Hosts: OperatorHosts(hosts), Metrics: a.registry, AllMetrics: a.allMetrics(), Log: a.log,
		Ready: func(ctx context.Context) error {
			if err := a.ready(); err != nil {
				return err
			}
			if a.catalog != nil {
				return a.catalog.store.Ping(ctx)
			}
			return a.player.catalogReady(ctx)
		},
	})
}

// alive returns a check that succeeds when url sends any response at all.
func alive(url string) func(context.Context) error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/health", nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}
}
