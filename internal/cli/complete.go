package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"waxwing/internal/app"
)

// completeCmd prints values for the completion scripts, one a line. It prints nothing, not even an
// error, if it cannot know them.
type completeCmd struct {
	remote
	Values string `arg:"" enum:"outputs,playlists,tokens" help:"outputs, playlists or tokens."`
}

// completionTime is how long somebody waits for a completion.
const completionTime = time.Second

func (c *completeCmd) Run(ctx context.Context, std IO) error {
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	var found []string
	if c.Values == "tokens" {
		found = c.tokens()
	} else {
		found = c.ofPlayer(ctx)
	}
	for _, value := range slices.Compact(slices.Sorted(slices.Values(found))) {
		if _, err := fmt.Fprintln(std.Out, plain(value)); err != nil {
			return nil //nolint:nilerr // the shell no longer wants them
		}
	}
	return nil
}

// tokens returns the names of the tokens of the data folder that are not revoked.
func (c *completeCmd) tokens() (names []string) {
	if _, err := os.Stat(c.DataDir.File(app.TokensFile)); err != nil {
		return nil // opening the store would create the folder
	}
	store, err := openTokens(c.DataDir, IO{Err: io.Discard})
	if err != nil {
		return nil
	}
	list, _ := store.List() // empty with an error
	for _, t := range list {
		if t.Live(time.Now()) {
			names = append(names, t.Name)
		}
	}
	return names
}

// ofPlayer returns values that the running player of the data folder knows.
func (c *completeCmd) ofPlayer(ctx context.Context) (values []string) {
	if c.DataDir.Running().Player == "" {
		return nil
	}
	p, err := c.player()
	if err != nil {
		return nil
	}
	switch c.Values {
	case "outputs":
		list, _ := p.Outputs(ctx) // empty with an error
		for _, o := range list {
			values = append(values, o.ID)
		}
	case "playlists":
		list, _ := p.Catalog().Playlists(ctx, 1, 200) // empty with an error
		for _, l := range list.Playlists {
			values = append(values, l.Name)
		}
	}
	return values
}
