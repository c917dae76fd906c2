package cli

import (
	"context"
	"fmt"
)

type volumeCmd struct {
	remote
	Volume *int `arg:"" optional:"" help:"0 to 100."`
	Mute   bool `name:"mute" xor:"mute" help:"Mute."`
	Unmute bool `name:"unmute" xor:"mute" help:"Unmute."`
}

func (c *volumeCmd) Run(ctx context.Context, std IO) error {
	p, err := c.player()
	if err != nil {
		return err
	}
	volume, muted := 0, false
	if c.Volume == nil && !c.Mute && !c.Unmute {
		v, err := p.Volume(ctx)
		if err != nil {
			return c.hint(err)
		}
		volume, muted = v.Volume, v.Muted
	} else {
		var mute *bool
		if c.Mute || c.Unmute {
			mute = &c.Mute
		}
		v, err := p.SetVolume(ctx, c.Volume, mute)
		if err != nil {
			return c.hint(err)
		}
		volume, muted = v.Volume, v.Muted
	}
	suffix := ""
	if muted {
		suffix = " (muted)"
	}
	_, err = fmt.Fprintf(std.Out, "%d%s\n", volume, suffix)
	return err
}

type shuffleCmd struct {
	remote
	Set string `arg:"" optional:"" enum:"on,off," default:"" help:"on or off."`
}

func (c *shuffleCmd) Run(ctx context.Context, std IO) error {
	p, err := c.player()
	if err != nil {
		return err
	}
	if c.Set != "" {
		if err := p.SetShuffle(ctx, c.Set == "on"); err != nil {
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
	Set string `arg:"" optional:"" help:"off, one, all or on."`
}

func (c *repeatCmd) Run(ctx context.Context, std IO) error {
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
