package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"waxwing/api/playerapi"
	"waxwing/client"
)

type volumeCmd struct {
	remote
	To     string `arg:"" name:"volume" optional:"" help:"0 to 100, or a relative change: +5, -5 (default: print the volume)."`
	Mute   bool   `name:"mute" xor:"mute" help:"Mute."`
	Unmute bool   `name:"unmute" xor:"mute" help:"Unmute."`
}

func (c *volumeCmd) Run(ctx context.Context, std IO) error {
	to, err := parseVolume(c.To)
	if err != nil {
		return err
	}
	p, err := c.player()
	if err != nil {
		return err
	}
	v, err := c.apply(ctx, p, to)
	if err != nil {
		return c.hint(err)
	}
	suffix := ""
	if v.Muted {
		suffix = " (muted)"
	}
	_, err = fmt.Fprintf(std.Out, "%d%s\n", v.Volume, suffix)
	return err
}

// apply makes the requested change, if any, and returns the volume.
func (c *volumeCmd) apply(ctx context.Context, p *client.Player, to *volumeChange) (playerapi.Volume, error) {
	if to == nil && !c.Mute && !c.Unmute {
		return p.Volume(ctx)
	}
	var volume *int
	if to != nil {
		volume = &to.percent
		if to.step {
			now, err := p.Volume(ctx)
			if err != nil {
				return now, err
			}
			to.percent = min(max(now.Volume+to.percent, 0), 100)
		}
	}
	var mute *bool
	if c.Mute || c.Unmute {
		mute = &c.Mute
	}
	return p.SetVolume(ctx, volume, mute)
}

// volumeChange is a volume, or a difference from the current one.
type volumeChange struct {
	percent int
	step    bool // relative to the current volume
}

// parseVolume reads 40, 40%, +5 and -5; an empty string is nil.
func parseVolume(s string) (*volumeChange, error) {
	if s == "" {
		return nil, nil
	}
	percent, err := strconv.Atoi(strings.TrimSuffix(s, "%"))
	if err != nil {
		return nil, usage("“%s” is not a volume; try 40, +5 or -5", s)
	}
	if percent < -100 || percent > 100 {
		return nil, usage("the volume must be 0 to 100, not %s", s)
	}
	return &volumeChange{percent, s[0] == '+' || s[0] == '-'}, nil
}
