package cli

import (
	"context"
	"fmt"
	"strings"
	"time"
)

type pairCmd struct {
	List    pairList    `cmd:"" default:"withargs" help:"Show the app that asks for a token (the default)."`
	Approve pairApprove `cmd:"" help:"Give the app that shows this code its token."`
	Deny    pairDeny    `cmd:"" help:"Refuse the app with this code; another may ask at once."`
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
		_, err := fmt.Fprintln(std.Out, "No app is asking for a token.")
		return err
	}
	t := newTable(std.Out, "CODE", "APP", "WANTS TO", "FOR ANOTHER")
	for _, w := range waiting {
		left := time.Until(w.ExpiresAt.Time).Round(time.Second)
		t.row(w.Code, w.Name, strings.Join(w.Permissions, " and "), left.String())
	}
	return t.flush()
}

type pairApprove struct {
	remote
	Code       string   `arg:"" help:"The four digits that the app shows."`
	Permission []string `name:"permission" placeholder:"read|write|keys" help:"Grant this instead of what it asks for (repeatable)."`
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
	_, err = fmt.Fprintf(std.Err, "“%s” may now %s.\n", plain(got.Name), strings.Join(got.Permissions, " and "))
	return err
}

type pairDeny struct {
	remote
	Code string `arg:"" help:"The four digits that waxwing pair list shows."`
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
	_, err = fmt.Fprintf(std.Err, "“%s” gets no token.\n", plain(got.Name))
	return err
}
