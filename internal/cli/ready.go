package cli

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"time"

	"waxwing/client"
)

// readyCmd is a readiness probe, for example for a container without a shell.
type readyCmd struct {
	commonSettings
	MetricsAddr string        `name:"metrics-addr" env:"WAXWING_METRICS_ADDR" placeholder:"HOST:PORT" help:"Address of the operator's listener (see: waxwing up --help)."`
	CatalogAddr string        `name:"catalog-addr" env:"WAXWING_CATALOG_ADDR" default:"127.0.0.1:7845" placeholder:"HOST:PORT" help:"Address of the catalog, used without --metrics-addr (default: ${default})."`
	Timeout     time.Duration `name:"timeout" default:"2s" help:"Time to wait for a reply (default: ${default})."`
}

func (c *readyCmd) Run(ctx context.Context, std IO) error {
	host, port, err := net.SplitHostPort(cmp.Or(c.MetricsAddr, c.CatalogAddr))
	if err != nil {
		return usage("the address of a server must be HOST:PORT: %v", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // it also listens on the loopback address
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	if err := (&client.Catalog{BaseURL: "http://" + net.JoinHostPort(host, port)}).Ready(ctx); err != nil {
		return err
	}
	_, err = fmt.Fprintln(std.Out, "ready")
	return err
}
