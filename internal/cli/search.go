package cli

import (
	"context"
	"fmt"
	"strings"

	"waxwing/api/catalogapi"
)

type searchCmd struct {
	remote
	Words []string `arg:"" help:"Words to search for."`
	Limit int      `name:"limit" default:"10" help:"Limit of results of each kind (default: ${default})."`
	JSON  bool     `name:"json" help:"Print JSON."`
}

// Run searches through the player, which forwards the request to its catalog.
func (c *searchCmd) Run(ctx context.Context, std IO) error {
	if c.Limit < 1 || c.Limit > 50 { // limits of the catalog API
		return usage("--limit must be 1 to 50")
	}
	query := strings.Join(strings.Fields(strings.Join(c.Words, " ")), " ")
	if query == "" {
		return usage("give the words to search for, for example: waxwing search first frost")
	}
	p, err := c.player()
	if err != nil {
		return err
	}
	found, err := p.Search(ctx, query, c.Limit)
	if err != nil {
		return c.hint(err)
	}
	if c.JSON {
		return printJSON(std.Out, found)
	}
	return printFound(std, found)
}

func printFound(std IO, found catalogapi.SearchReply) error {
	t := newTable(std.Out, "KIND", "NAME", "BY", "ID")
	for _, s := range found.Songs {
		t.row("song", s.Title, orEmpty(s.Artist), s.ID)
	}
	for _, a := range found.Artists {
		t.row("artist", a.Name, "", a.ID)
	}
	for _, a := range found.Albums {
		t.row("album", a.Title, orEmpty(a.Artist), a.ID)
	}
	for _, p := range found.Playlists {
		t.row("playlist", p.Name, p.Owner.Name, p.ID)
	}
	if len(found.Songs)+len(found.Artists)+len(found.Albums)+len(found.Playlists) == 0 {
		_, err := fmt.Fprintln(std.Err, "No results.")
		return err
	}
	return t.flush()
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
