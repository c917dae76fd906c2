package cli

import (
	"context"
	"slices"

	"waxwing/api/playerapi"
	"waxwing/client"
)

type outputCmd struct {
	remote
	Device string `arg:"" optional:"" complete:"outputs" help:"Id of the device to use (default: list the devices)."`
}

func (c *outputCmd) Run(ctx context.Context, std IO) error {
	p, err := c.player()
	if err != nil {
		return err
	}
	outputs, err := c.outputs(ctx, p)
	if err != nil {
		return c.hint(err)
	}
	t := newTable(std.Out, "", "ID", "NAME")
	for _, o := range outputs {
		mark := ""
		if o.Active {
			mark = "▶"
		}
		t.row(mark, o.ID, o.Name)
	}
	return t.flush()
}

// outputs switches to the requested device, if any, and returns all devices.
func (c *outputCmd) outputs(ctx context.Context, p *client.Player) ([]playerapi.Output, error) {
	all, err := p.Outputs(ctx)
	if err != nil || c.Device == "" {
		return all, err
	}
	if !slices.ContainsFunc(all, func(o playerapi.Output) bool { return o.ID == c.Device }) {
		return nil, usage("there is no output “%s”; “waxwing output” lists them", plain(c.Device))
	}
	if err := p.SetOutput(ctx, c.Device); err != nil {
		return nil, err
	}
	return p.Outputs(ctx)
}
