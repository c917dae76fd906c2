package cli

import (
	"context"
	"fmt"

	"waxwing/internal/player"
)

type shuffleCmd struct {
	remote
	Set *string `arg:"" name:"on|off" optional:"" enum:"on,off" help:"New state (default: print the state)."`
}

func (c *shuffleCmd) Run(ctx context.Context, std IO) error {
	p, err := c.player()
	if err != nil {
		return err
	}
	if c.Set != nil {
		if err := p.SetShuffle(ctx, *c.Set == "on"); err != nil {
			return c.hint(err)
		}
	}
	state, err := p.PlaybackState(ctx)
	if err != nil {
		return c.hint(err)
	}
	word := "off"
	if state.Shuffle {
		word = "on"
	}
	_, err = fmt.Fprintln(std.Out, word)
	return err
}

type repeatCmd struct {
	remote
	Set string `arg:"" name:"off|one|all|on" optional:"" help:"New mode; on is the same as all (default: print the mode)."`
}

func (c *repeatCmd) Run(ctx context.Context, std IO) error {
	if _, err := player.ParseRepeat(c.Set); err != nil && c.Set != "" {
		return usage("repeat must be off, one, all or on, not “%s”", c.Set)
	}
	p, err := c.player()
	if err != nil {
		return err
	}
	if c.Set != "" {
		if _, err := p.SetRepeat(ctx, c.Set); err != nil {
			return c.hint(err)
		}
	}
	state, err := p.PlaybackState(ctx)
	if err != nil {
		return c.hint(err)
	}
	_, err = fmt.Fprintln(std.Out, state.Repeat)
	return err
}
