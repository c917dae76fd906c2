package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"waxwing/api/playerapi"
	"waxwing/client"
)

type statusCmd struct {
	remote
	JSON  bool `name:"json" help:"Print JSON."`
	Watch bool `name:"watch" short:"w" help:"Print a line for each change, until interrupted."`
}

// statusView is the output of status --json.
type statusView struct {
	Track     *playerapi.Track `json:"track"`
	IsPlaying bool             `json:"is_playing"`
	Shuffle   bool             `json:"shuffle"`
	Repeat    playerapi.Repeat `json:"repeat"`
}

func (c *statusCmd) Run(ctx context.Context, std IO) error {
	p, err := c.player()
	if err != nil {
		return err
	}
	if !c.Watch {
		return c.hint(show(ctx, std, p, c.JSON))
	}
	for state, err := range p.Events(ctx) {
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return c.hint(err)
		}
		view := statusView{state.Track, state.IsPlaying, state.Shuffle, state.Repeat}
		if err := view.print(std, c.JSON, true); err != nil {
			return err
		}
	}
	return nil
}

// show prints the current track.
func show(ctx context.Context, std IO, p *client.Player, asJSON bool) error {
	track, err := p.CurrentTrack(ctx)
	if err != nil {
		return err
	}
	state, err := p.PlaybackState(ctx)
	if err != nil {
		return err
	}
	return statusView{track, state.IsPlaying, state.Shuffle, state.Repeat}.print(std, asJSON, false)
}

func (v statusView) print(std IO, asJSON, oneLine bool) error {
	if asJSON {
		return printJSON(std.Out, v)
	}
	if v.Track == nil {
		_, err := fmt.Fprintln(std.Out, "Nothing is loaded. Start with: waxwing play")
		return err
	}
	t := v.Track
	sign := "⏸"
	if v.IsPlaying {
		sign = "▶"
	}
	what := sign + " " + plain(t.Title)
	if t.Artist != "" {
		what += " — " + plain(t.Artist)
	}
	when := fmt.Sprintf("%s / %s", clock(t.Position), clock(t.Duration))
	if oneLine {
		_, err := fmt.Fprintf(std.Out, "%s  (%s)\n", what, when)
		return err
	}
	var flags []string
	if v.Shuffle {
		flags = append(flags, "shuffle")
	}
	if v.Repeat != "off" {
		flags = append(flags, "repeat "+string(v.Repeat))
	}
	if t.Album != "" {
		what += "\n  " + plain(t.Album)
	}
	_, err := fmt.Fprintf(std.Out, "%s\n  %s  %s  %s\n", what, bar(t.Position, t.Duration), when,
		strings.Join(flags, ", "))
	return err
}

// clock writes milliseconds as 1:23.
func clock(ms float64) string {
	d := time.Duration(ms) * time.Millisecond
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	if h > 0 {
		return fmt.Sprintf("%d:%02d:%02d", h, m, s)
	}
	return fmt.Sprintf("%d:%02d", m, s)
}

func bar(at, of float64) string {
	const width = 30
	n := 0
	if of > 0 {
		n = min(int(at/of*width), width)
	}
	return strings.Repeat("━", n) + strings.Repeat("─", width-n)
}
