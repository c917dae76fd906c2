package cli

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"time"

	"waxwing/client"
)

// readyCmd is a probe for those who have none, such as a container without a shell.
type readyCmd struct {
	commonSettings
	MetricsAddr string        `name:"metrics-addr" env:"WAXWING_METRICS_ADDR" placeholder:"HOST:PORT" help:"The operator's listener of the server."`
	CatalogAddr string        `name:"catalog-addr" env:"WAXWING_CATALOG_ADDR" default:"127.0.0.1:7845" placeholder:"HOST:PORT" help:"The catalog to ask where there is no such listener."`
	Timeout     time.Duration `name:"timeout" default:"2s" help:"How long to wait for an answer."`
}

func (c *readyCmd) Run(ctx context.Context, std IO) error {
	host, port, err := net.SplitHostPort(cmp.Or(c.MetricsAddr, c.CatalogAddr))
	if err != nil {
		return usage("the address of a server is HOST:PORT: %v", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // it listens everywhere, here too
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	if err := (&client.Catalog{BaseURL: "http://" + net.JoinHostPort(host, port)}).Ready(ctx); err != nil {
		return err
	}
	_, err = fmt.Fprintln(std.Out, "ready")
	return err
}
