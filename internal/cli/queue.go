package cli

import (
	"context"
	"fmt"
	"strconv"

	"waxwing/api/playerapi"
	"waxwing/client"
)

type queueCmd struct {
	Show    queueShow    `cmd:"" default:"withargs" help:"Show the queue (the default)."`
	Add     queueAdd     `cmd:"" help:"Add songs, or all of an album, an artist or a playlist."`
	Replace queueReplace `cmd:"" help:"Replace the queue."`
	Jump    queueJump    `cmd:"" help:"Play the item with this number."`
	Move    queueMove    `cmd:"" help:"Move an item to another position."`
	Remove  queueRemove  `cmd:"" help:"Remove an item."`
	Shuffle queueShuffle `cmd:"" help:"Bring the items into a random sequence."`
	Clear   queueClear   `cmd:"" help:"Empty the queue and stop."`
	Undo    queueUndo    `cmd:"" help:"Restore the queue as it was before items were removed or replaced."`

	Priority queuePriority `cmd:"" help:"Set the priority of an item, from 0 to 255."`
}

type queueShow struct {
	remote
	JSON bool `name:"json" help:"Print JSON."`
}

func (c *queueShow) Run(ctx context.Context, std IO) error {
	p, err := c.player()
	if err != nil {
		return err
	}
	q, err := p.Queue(ctx)
	if err != nil {
		return c.hint(err)
	}
	if c.JSON {
		return printJSON(std.Out, q)
	}
	if len(q.Queue) == 0 {
		_, err := fmt.Fprintln(std.Out, "The queue is empty. Fill it with: waxwing play")
		return err
	}
	t := newTable(std.Out, "", "#", "TITLE", "ARTIST", "TIME")
	for i, item := range q.Queue {
		mark := ""
		if i == q.CurrentIndex {
			mark = "▶"
		}
		t.row(mark, strconv.Itoa(i+1), item.Title, item.Artist, clock(item.Duration*1000))
	}
	return t.flush()
}

type queueAdd struct {
	remote
	selection
	Next bool `name:"next" help:"Insert after the current track instead of at the end."`
}

func (c *queueAdd) Run(ctx context.Context, std IO) error {
	if err := c.check(); err != nil {
		return err
	}
	p, err := c.player()
	if err != nil {
		return err
	}
	at := "end"
	if c.Next {
		at = "next"
	}
	if c.isURL() {
		if _, err := p.AddURL(ctx, playerapi.AddURLRequest{URL: c.Words[0], At: &at}); err != nil {
			return c.hint(err)
		}
		_, err := fmt.Fprintln(std.Out, "1 added")
		return err
	}
	what, err := c.resolve(ctx, std, p, "queue add")
	if err != nil {
		return c.hint(err)
	}
	items, err := p.Add(ctx, playerapi.AddRequest{TrackIDs: what.songs, AlbumID: nilIfZero(what.album),
		ArtistID: nilIfZero(what.artist), PlaylistID: nilIfZero(what.playlist), At: &at})
	if err != nil {
		return c.hint(err)
	}
	if what.label != "" {
		_, err = fmt.Fprintf(std.Out, "%d added: %s\n", len(items), plain(what.label))
		return err
	}
	_, err = fmt.Fprintf(std.Out, "%d added\n", len(items))
	return err
}

type queueReplace struct {
	controlCmd
	selection
	Play bool `name:"play" help:"Start playback."`
}

func (c *queueReplace) Run(ctx context.Context, std IO) error {
	if err := c.check(); err != nil {
		return err
	}
	return c.control(ctx, std, func(p *client.Player) error {
		what, err := c.resolve(ctx, std, p, "queue replace")
		if err != nil {
			return err
		}
		return p.Replace(ctx, what.replacement(c.Play))
	})
}

// item runs f on item n of the queue, counted from 1. Ids of items let the command act on the
// right one even if the queue changes in between.
func (s controlCmd) item(ctx context.Context, std IO, n int,
	f func(p *client.Player, q playerapi.QueueItems, item int) error) error {
	return s.control(ctx, std, func(p *client.Player) error {
		q, err := p.Items(ctx, 0)
		if err != nil {
			return err
		}
		if err := checkNumber(q, n); err != nil {
			return err
		}
		return f(p, q, q.Items[n-1].ItemID)
	})
}

// checkNumber returns an error if n is not the number of an item.
func checkNumber(q playerapi.QueueItems, n int) error {
	switch {
	case len(q.Items) == 0:
		return usage("the queue is empty; fill it with: waxwing play")
	case n < 1 || n > len(q.Items):
		return usage("there is no item %d: the queue has items 1 to %d", n, len(q.Items))
	}
	return nil
}

type queueJump struct {
	controlCmd
	Number int `arg:"" help:"Number of the item, as in waxwing queue."`
}

func (c *queueJump) Run(ctx context.Context, std IO) error {
	return c.item(ctx, std, c.Number, func(p *client.Player, _ playerapi.QueueItems, item int) error {
		return p.Jump(ctx, item)
	})
}

type queueMove struct {
	controlCmd
	Number int `arg:"" help:"Number of the item, as in waxwing queue."`
	To     int `arg:"" help:"New number of the item."`
}

func (c *queueMove) Run(ctx context.Context, std IO) error {
	return c.item(ctx, std, c.Number, func(p *client.Player, q playerapi.QueueItems, item int) error {
		if err := checkNumber(q, c.To); err != nil {
			return err
		}
		return p.Move(ctx, item, c.To-1)
	})
}

type queuePriority struct {
	controlCmd
	Number   int `arg:"" help:"Number of the item, as in waxwing queue."`
	Priority int `arg:"" help:"Priority from 0 to 255; when shuffle is on, higher ones are played first."`
}

func (c *queuePriority) Run(ctx context.Context, std IO) error {
	if c.Priority < 0 || c.Priority > 255 {
		return usage("the priority must be a whole number from 0 to 255, not %d", c.Priority)
	}
	return c.item(ctx, std, c.Number, func(p *client.Player, _ playerapi.QueueItems, item int) error {
		return p.SetPriority(ctx, c.Priority, item)
	})
}

type queueRemove struct {
	controlCmd
	Number int `arg:"" help:"Number of the item, as in waxwing queue."`
}

func (c *queueRemove) Run(ctx context.Context, std IO) error {
	return c.item(ctx, std, c.Number, func(p *client.Player, _ playerapi.QueueItems, item int) error {
		return p.Remove(ctx, item)
	})
}

type queueShuffle struct{ controlCmd }

func (c *queueShuffle) Run(ctx context.Context, std IO) error {
	return c.control(ctx, std, func(p *client.Player) error { return p.ShuffleQueue(ctx) })
}

type queueClear struct{ controlCmd }

func (c *queueClear) Run(ctx context.Context, std IO) error {
	return c.control(ctx, std, func(p *client.Player) error { return p.Clear(ctx) })
}

type queueUndo struct{ controlCmd }

func (c *queueUndo) Run(ctx context.Context, std IO) error {
	return c.control(ctx, std, func(p *client.Player) error { return p.UndoQueue(ctx) })
}
