package cli

import (
	"context"
	"fmt"

	"waxwing/api/playerapi"
	"waxwing/client"
)

type stopCmd struct{ controlCmd }

func (c *stopCmd) Run(ctx context.Context, std IO) error {
	return c.control(ctx, std, func(p *client.Player) error { return p.Stop(ctx) })
}

type stopAfterCmd struct {
	remote
	Set *string `arg:"" name:"off|on|once" optional:"" enum:"off,on,once" help:"New mode (default: print the mode)."`
}

func (c *stopAfterCmd) Run(ctx context.Context, std IO) error {
	modes, err := c.modes(ctx, playerapi.ModesRequest{StopAfter: c.Set})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(std.Out, modes.StopAfter)
	return err
}

type consumeCmd struct {
	remote
	Set *string `arg:"" name:"off|on|once" optional:"" enum:"off,on,once" help:"New mode (default: print the mode)."`
}

func (c *consumeCmd) Run(ctx context.Context, std IO) error {
	modes, err := c.modes(ctx, playerapi.ModesRequest{Consume: c.Set})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(std.Out, modes.Consume)
	return err
}

// modes sets what the request has, if anything, and returns the modes that are set now.
func (r remote) modes(ctx context.Context, set playerapi.ModesRequest) (playerapi.Modes, error) {
	p, err := r.player()
	if err != nil {
		return playerapi.Modes{}, err
	}
	if set != (playerapi.ModesRequest{}) {
		if _, err := p.SetModes(ctx, set); err != nil {
			return playerapi.Modes{}, r.hint(err)
		}
	}
	modes, err := p.Modes(ctx)
	return modes, r.hint(err)
}
