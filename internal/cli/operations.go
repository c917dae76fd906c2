package cli

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
	"waxwing/internal/sdnotify"
)

// operatorSettings are those of every server, whatever its role.
type operatorSettings struct {
	MetricsAddr string        `name:"metrics-addr" env:"WAXWING_METRICS_ADDR" placeholder:"HOST:PORT" help:"Serve /metrics, /health and /ready there, without a credential; the catalog's own address then has no /metrics."`
	Drain       time.Duration `name:"drain" env:"WAXWING_DRAIN" default:"0s" help:"How long to go on serving after SIGTERM while /ready already says no. Behind a load balancer: a little more than the time between its checks."`
}

// operations are what all roles of one process share for the sake of its operator.
type operations struct {
	registry *prometheus.Registry
	listener net.Listener    // of the operator's own; nil: none
	hosts    []string        // names that it answers to
	leaving  context.Context // done: others should be given the work from now on
	serving  context.Context // done: stop
	version  string
	log      *slog.Logger
	end      func()
}

// operate opens the operator's listener and plans the departure that begins when ctx is done. The hosts are those of the
// roles: the machine has the same names at any port.
func (s operatorSettings) operate(ctx context.Context, version string, hosts hostList, log *slog.Logger) (*operations, error) {
	if s.Drain < 0 {
		return nil, wrong("drain", "--drain must be a time, for example 10s, or 0, not %v", s.Drain)
	}
	o := &operations{registry: newRegistry(version), hosts: hosts.withoutPorts(), leaving: ctx, version: version, log: log}
	if s.MetricsAddr != "" {
		if err := checkAddr("metrics-addr", s.MetricsAddr, true); err != nil {
			return nil, err
		}
		ln, err := listen(ctx, "metrics-addr", s.MetricsAddr)
		if err != nil {
			return nil, err
		}
		o.listener = ln
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	o.serving = serving
	timer := time.AfterFunc(time.Hour, stop)
	timer.Stop()
	forget := context.AfterFunc(ctx, func() {
		if s.Drain > 0 {
			log.Info("leaving: still serving, but not ready", "for", s.Drain)
		}
		timer.Reset(s.Drain)
	})
	o.end = func() {
		forget()
		timer.Stop()
		stop()
		if o.listener != nil {
			_ = o.listener.Close() // closed already after a run
		}
	}
	return o, nil
}

// ready returns why this process should be given no work, as far as that is the same for all roles.
func (o *operations) ready() error {
	if o.leaving.Err() != nil {
		return fault.New(fault.Unavailable, "this server is stopping")
	}
	return nil
}

// run does the work of the roles until it is time to stop, and beside it serves the operator and tells the service
// manager how things are: that all is well means that url is answered.
func (o *operations) run(url string, ready func(context.Context) error, work func(context.Context) error) error {
	ctx, stop := context.WithCancel(o.serving)
	defer stop()
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer stop()
		return work(ctx)
	})
	if o.listener != nil {
		server := httpkit.NewOperator(httpkit.Operator{Version: o.version, Hosts: o.hosts, Metrics: o.registry, Log: o.log, Ready: func(ctx context.Context) error {
			if err := o.ready(); err != nil {
				return err
			}
			return ready(ctx)
		}})
		g.Go(func() error { return httpkit.Serve(ctx, o.listener, server, o.log) })
	}
	manager := sdnotify.FromEnv(os.LookupEnv, os.Getpid())
	g.Go(func() error {
		if err := manager.Supervise(ctx, o.leaving, answers(url)); err != nil {
			o.log.Warn("the service manager cannot be told how things are", "err", err)
		}
		return nil
	})
	g.Go(func() error { settle(ctx); return nil })
	return g.Wait()
}

// answers asks url; any answer at all shows that requests come through.
func answers(url string) func(context.Context) error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
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
