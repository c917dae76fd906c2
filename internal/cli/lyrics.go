package cli

import (
	"context"
	"fmt"
	"strings"

	"waxwing/api/playerapi"
	"waxwing/client"
)

type lyricsCmd struct {
	remote
	JSON   bool `name:"json" help:"Print JSON; with --follow, one object per line."`
	Follow bool `name:"follow" short:"f" help:"Print each line when it is sung, until interrupted."`
}

func (c *lyricsCmd) Run(ctx context.Context, std IO) error {
	p, err := c.player()
	if err != nil {
		return err
	}
	if c.Follow {
		return c.hint(c.follow(ctx, std, p))
	}
	found, err := p.Lyrics(ctx)
	switch {
	case err != nil:
		return c.hint(err)
	case c.JSON:
		return printJSON(std.Out, found)
	case found.TrackID == nil:
		_, err = fmt.Fprintln(std.Out, "Nothing is loaded. Start with: waxwing play")
	case len(found.Lyrics) == 0:
		_, err = fmt.Fprintln(std.Out, "This track has no lyrics. Put them into a file beside it that has its name and ends "+
			"in .lrc or .txt.")
	default:
		err = printLyrics(std, found.Lyrics[0])
	}
	return err
}

func printLyrics(std IO, l playerapi.Lyrics) error {
	var b strings.Builder
	for _, line := range l.Lines {
		b.WriteString(plain(line.Text))
		b.WriteByte('\n')
	}
	_, err := fmt.Fprint(std.Out, b.String())
	return err
}

// follow prints the lines that are sung, with an empty line for each pause.
func (c *lyricsCmd) follow(ctx context.Context, std IO, p *client.Player) error {
	for line, err := range p.LyricEvents(ctx) {
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case c.JSON:
			err = printJSONLine(std.Out, line)
		case line.Text != nil:
			for text := range strings.SplitSeq(*line.Text, "\n") {
				if _, err = fmt.Fprintln(std.Out, plain(text)); err != nil {
					break
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
