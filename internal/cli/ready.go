package cli

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"waxwing/client"
)

// readyCmd is a readiness probe, for example for a container without a shell.
type readyCmd struct {
	remote
	MetricsAddr string        `name:"metrics-addr" env:"WAXWING_METRICS_ADDR" placeholder:"HOST:PORT" help:"Address of the operator's listener (see: waxwing up --help)."`
	CatalogAddr string        `name:"catalog-addr" env:"WAXWING_CATALOG_ADDR" placeholder:"HOST:PORT" help:"Address of the catalog, used without --metrics-addr (default: the server running from this data folder, else 127.0.0.1:7845)."`
	Timeout     time.Duration `name:"timeout" default:"2s" help:"Time to wait for a reply (default: ${default})."`
}

func (c *readyCmd) Run(ctx context.Context, std IO) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	if err := c.check(ctx); err != nil {
		return err
	}
	_, err := fmt.Fprintln(std.Out, "ready")
	return err
}

// check asks the configured address, else the server that runs from the data folder. The catalog
// replies for all roles of its process.
func (c *readyCmd) check(ctx context.Context) error {
	addr := cmp.Or(c.MetricsAddr, c.CatalogAddr)
	if serving := c.DataDir.Serving().Catalog; addr == "" || strings.HasSuffix(addr, ":0") {
		if serving == "" && c.DataDir.Running().Player != "" {
			p, err := c.player()
			if err != nil {
				return err
			}
			return c.hint(p.Ready(ctx))
		}
		addr = cmp.Or(serving, strings.TrimPrefix(client.DefaultCatalogURL, "http://"))
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return usage("the address of a server must be HOST:PORT: %v", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // it also listens on the loopback address
	}
	return (&client.Catalog{BaseURL: "http://" + net.JoinHostPort(host, port)}).Ready(ctx)
}
