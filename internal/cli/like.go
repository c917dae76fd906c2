package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"waxwing/client"
)

// opinionCmd is embedded by commands that like or rate the current track or what is named.
type opinionCmd struct {
	remote
	selection
}

// run applies current to the current track, or each to all ids that the selection names, and prints
// done with what it was.
func (c opinionCmd) run(ctx context.Context, std IO, command, done string, current func(*client.Player) error,
	each func(catalog *client.Catalog, id string) error) error {
	if !c.empty() {
		if err := c.check(); err != nil {
			return err
		}
	}
	p, err := c.player()
	if err != nil {
		return err
	}
	what, err := "", error(nil)
	if c.empty() {
		what, err = c.onCurrent(ctx, p, current)
	} else {
		what, err = c.onSelected(ctx, std, p, command, each)
	}
	if err != nil {
		return c.hint(err)
	}
	_, err = fmt.Fprintf(std.Out, "%s: %s\n", done, plain(what))
	return err
}

func (c opinionCmd) onCurrent(ctx context.Context, p *client.Player, f func(*client.Player) error) (string, error) {
	track, err := p.CurrentTrack(ctx)
	if err != nil {
		return "", err
	}
	if track == nil {
		return "", usage("nothing is loaded; start with waxwing play, or give a name")
	}
	return match{name: track.Title, by: track.Artist}.label(), f(p)
}

func (c opinionCmd) onSelected(ctx context.Context, std IO, p *client.Player, command string,
	f func(catalog *client.Catalog, id string) error) (string, error) {
	what, err := c.resolve(ctx, std, p, command)
	if err != nil {
		return "", err
	}
	for _, id := range what.ids() {
		if err := f(p.Catalog(), id); err != nil {
			return "", err
		}
	}
	return cmp.Or(what.label, strings.Join(what.ids(), ", ")), nil
}

type likeCmd struct{ opinionCmd }

func (c *likeCmd) Run(ctx context.Context, std IO) error {
	return c.run(ctx, std, "like", "Liked", func(p *client.Player) error { _, err := p.Like(ctx); return err },
		func(catalog *client.Catalog, id string) error { return catalog.Like(ctx, id) })
}

type unlikeCmd struct{ opinionCmd }

func (c *unlikeCmd) Run(ctx context.Context, std IO) error {
	return c.run(ctx, std, "unlike", "No longer liked",
		func(p *client.Player) error { _, err := p.Unlike(ctx); return err },
		func(catalog *client.Catalog, id string) error { return catalog.Unlike(ctx, id) })
}

type rateCmd struct {
	Rating string `arg:"" help:"1 to 5; 0 removes the rating."`
	opinionCmd
}

func (c *rateCmd) Run(ctx context.Context, std IO) error {
	rating, err := strconv.Atoi(c.Rating)
	if err != nil || rating < 0 || rating > 5 {
		return usage("a rating is 1 to 5, or 0 to remove it, not %s; for example: waxwing rate 4", plain(c.Rating))
	}
	done := fmt.Sprintf("Rated %d of 5", rating)
	if rating == 0 {
		done = "Rating removed"
	}
	return c.run(ctx, std, fmt.Sprintf("rate %d", rating), done,
		func(p *client.Player) error { _, err := p.Rate(ctx, rating); return err },
		func(catalog *client.Catalog, id string) error { return catalog.Rate(ctx, id, rating) })
}
