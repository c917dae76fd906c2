package cli

import (
	"context"
	"fmt"
	"slices"
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
			"in .lrc or .txt, or let the catalog look them up (waxwing up --lyrics-url).")
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

// explainSilence says why follow prints nothing yet.
func explainSilence(std IO, found playerapi.TrackLyrics) {
	const later = "lines appear when a track with synced lyrics plays (Ctrl-C ends)"
	synced := func(l playerapi.Lyrics) bool { return l.Synced }
	switch {
	case found.TrackID == nil:
		fmt.Fprintln(std.Err, "Nothing is loaded; "+later)
	case len(found.Lyrics) == 0:
		fmt.Fprintln(std.Err, "This track has no lyrics; "+later)
	case !slices.ContainsFunc(found.Lyrics, synced):
		fmt.Fprintln(std.Err, "The lyrics of this track are not synced (print them with: waxwing lyrics); "+later)
	}
}

// follow prints the lines that are sung, with an empty line for each pause.
func (c *lyricsCmd) follow(ctx context.Context, std IO, p *client.Player) error {
	found, err := p.Lyrics(ctx)
	if err != nil {
		return err
	}
	explainSilence(std, found)
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
