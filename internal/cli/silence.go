package cli

import (
	"context"
	"fmt"

	"waxwing/client"
)

// silenceOf returns why nobody can hear what a player plays, and what to do; "" if somebody can, or
// if it is unknown.
func silenceOf(ctx context.Context, p *client.Player) (reason, fix string) {
	outputs, err := p.Outputs(ctx)
	if err != nil {
		return "", ""
	}
	for _, o := range outputs {
		if o.Active && o.ID == silentOutput {
			return "the player has no sound output",
				"connect speakers or start the sound server, then choose one with: waxwing output"
		}
	}
	volume, err := p.Volume(ctx)
	switch {
	case err != nil:
		return "", ""
	case volume.Muted:
		return "the player is muted", "waxwing volume --unmute"
	case volume.Volume == 0:
		return "the volume is 0", "waxwing volume 50"
	}
	return "", ""
}

// silentOutput is the id of the output that plays without sound.
const silentOutput = "null"

// warnOfSilence prints a warning if a player plays and nobody can hear it.
func warnOfSilence(ctx context.Context, std IO, p *client.Player) {
	state, err := p.PlaybackState(ctx)
	if err != nil || !state.IsPlaying {
		return
	}
	if reason, fix := silenceOf(ctx, p); reason != "" {
		_, _ = fmt.Fprintf(std.Err, "warning: nobody can hear the music: %s\n  → %s\n", reason, fix)
	}
}

// audible checks whether a running player can be heard.
func (c *doctorCmd) audible(ctx context.Context) finding {
	f := finding{Check: "sound", OK: true}
	if running := c.DataDir.Running(); !running.Socket {
		f.Message = "no player is running from this data folder"
		return f
	}
	if f.Message, f.Fix = silenceOf(ctx, socketPlayer(c.DataDir)); f.Message != "" {
		f.Message, f.Warning = "nobody can hear the music: "+f.Message, true
		return f
	}
	f.Message = "the running player can be heard"
	return f
}
