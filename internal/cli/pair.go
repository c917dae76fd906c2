package cli

import (
	"context"
	"fmt"
	"strings"
	"time"
)

type pairCmd struct {
	List    pairList    `cmd:"" default:"withargs" help:"List apps that request a token (the default)."`
	Approve pairApprove `cmd:"" help:"Grant a token to the app that displays this code."`
	Deny    pairDeny    `cmd:"" help:"Deny the app with this code."`
}

type pairList struct {
	remote
	JSON bool `name:"json" help:"Print JSON."`
}

func (c *pairList) Run(ctx context.Context, std IO) error {
	p, err := c.player()
	if err != nil {
		return err
	}
	waiting, err := p.Pairs(ctx)
	if err != nil {
		return c.hint(err)
	}
	if c.JSON {
		return printJSON(std.Out, waiting)
	}
	if len(waiting) == 0 {
		_, err := fmt.Fprintln(std.Out, "No app is requesting a token.")
		return err
	}
	t := newTable(std.Out, "CODE", "APP", "PERMISSIONS", "EXPIRES IN")
	for _, w := range waiting {
		left := time.Until(w.ExpiresAt.Time).Round(time.Second)
		t.row(w.Code, w.Name, strings.Join(w.Permissions, ", "), left.String())
	}
	return t.flush()
}

type pairApprove struct {
	remote
	Code       string   `arg:"" help:"Code that the app displays (four digits)."`
	Permission []string `name:"permission" placeholder:"read|write|keys" help:"Permission to grant instead of the requested ones (repeatable)."`
}

func (c *pairApprove) Run(ctx context.Context, std IO) error {
	p, err := c.player()
	if err != nil {
		return err
	}
	got, err := p.ApprovePair(ctx, c.Code, c.Permission...)
	if err != nil {
		return c.hint(err)
	}
	expiry := ""
	if got.ExpiresAt != nil {
		expiry = ", until " + got.ExpiresAt.Local().Format(time.DateTime)
	}
	_, err = fmt.Fprintf(std.Err, "“%s” can claim a token with the permissions %s%s.\n", plain(got.Name),
		strings.Join(got.Permissions, ", "), expiry)
	return err
}

type pairDeny struct {
	remote
	Code string `arg:"" help:"Code of the app, as in waxwing pair list."`
}

func (c *pairDeny) Run(ctx context.Context, std IO) error {
	p, err := c.player()
	if err != nil {
		return err
	}
	got, err := p.DenyPair(ctx, c.Code)
	if err != nil {
		return c.hint(err)
	}
	_, err = fmt.Fprintf(std.Err, "“%s” was denied a token.\n", plain(got.Name))
	return err
}
