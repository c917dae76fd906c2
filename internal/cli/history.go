package cli

import (
	"context"
	"fmt"
	"strconv"

	"waxwing/api/catalogapi"
)

// listCmd is embedded by commands that print the beginning of a list of the catalog.
type listCmd struct {
	remote
	Limit int  `name:"limit" default:"20" help:"Limit of rows, 1 to 200 (default: ${default})."`
	JSON  bool `name:"json" help:"Print JSON."`
}

func (c listCmd) check() error {
	if c.Limit < 1 || c.Limit > 200 { // limits of the catalog API
		return usage("--limit must be 1 to 200")
	}
	return nil
}

type historyCmd struct{ listCmd }

func (c *historyCmd) Run(ctx context.Context, std IO) error {
	if err := c.check(); err != nil {
		return err
	}
	p, err := c.player()
	if err != nil {
		return err
	}
	list, err := p.Catalog().History(ctx, 1, c.Limit)
	switch {
	case err != nil:
		return c.hint(err)
	case c.JSON:
		return printJSON(std.Out, list)
	case len(list.History) == 0:
		_, err := fmt.Fprintln(std.Err, "Nothing was played yet.")
		return err
	}
	t := newTable(std.Out, "PLAYED", "TITLE", "ARTIST", "ID")
	for _, e := range list.History {
		t.row(e.PlayedAt.Local().Format("2006-01-02 15:04"), e.Song.Title, orEmpty(e.Song.Artist), e.Song.ID)
	}
	return t.flush()
}

type topCmd struct {
	listCmd
	Type  string `name:"type" enum:"song,album,artist" default:"song" help:"song, album or artist (default: ${default})."`
	Range string `name:"range" enum:"7d,30d,1y,all" default:"30d" help:"Period: 7d, 30d, 1y or all (default: ${default})."`
}

func (c *topCmd) Run(ctx context.Context, std IO) error {
	if err := c.check(); err != nil {
		return err
	}
	p, err := c.player()
	if err != nil {
		return err
	}
	list, err := p.Catalog().Top(ctx, c.Type, c.Range, 1, c.Limit)
	switch {
	case err != nil:
		return c.hint(err)
	case c.JSON:
		return printJSON(std.Out, list)
	case len(list.Top) == 0:
		_, err := fmt.Fprintln(std.Err, "Nothing was played in this period.")
		return err
	}
	t := newTable(std.Out, "#", "PLAYS", "NAME", "BY", "ID")
	for i, row := range list.Top {
		m := playedMost(row)
		t.row(strconv.Itoa(i+1), strconv.Itoa(row.PlayCount), m.name, m.by, m.id)
	}
	return t.flush()
}

// playedMost returns what a row of the top list is about.
func playedMost(row catalogapi.Top) match {
	switch {
	case row.Song != nil:
		return match{songKind, row.Song.ID, row.Song.Title, orEmpty(row.Song.Artist)}
	case row.Album != nil:
		return match{albumKind, row.Album.ID, row.Album.Title, orEmpty(row.Album.Artist)}
	case row.Artist != nil:
		return match{artistKind, row.Artist.ID, row.Artist.Name, ""}
	}
	return match{}
}
