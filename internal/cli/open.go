package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"

	"waxwing/client"
)

type openCmd struct {
	remote
	Print bool `name:"print" help:"Print the link and open nothing."`
}

// tabTokenLifetime is how long the token lives that a browser fetches for itself.
const tabTokenLifetime = 7 * 24 * time.Hour

// Run prints the link and opens a browser. The link holds a token in its fragment, which
// browsers send to nobody. What the browser is started with is another link, that holds a
// pairing request already approved and good for one use: the command lines of processes can
// be read by every account of the machine.
func (c *openCmd) Run(ctx context.Context, std IO) error {
	p, err := c.player()
	if err != nil {
		return err
	}
	own, err := p.OwnToken(ctx)
	if err != nil {
		return c.hint(err)
	}
	base := cmp.Or(p.BaseURL, client.DefaultPlayerURL)
	if _, err := fmt.Fprintf(std.Out, "%s/#token=%s\n", base, p.Token); err != nil {
		return fmt.Errorf("print the link: %w", err)
	}
	if c.Print {
		return nil
	}
	open, err := browser()
	if err != nil {
		fmt.Fprintf(std.Err, "No browser was opened: %v. Open the link yourself; whoever has it can steer the player.\n", err)
		return nil
	}
	id, err := createClaim(ctx, p, own.Permissions)
	if err != nil {
		return fmt.Errorf("the browser could not be given access: %w; open the link yourself", err)
	}
	cmd := exec.Command(open[0], append(open[1:], base+"/#claim="+id)...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the browser: %w; open the link yourself", err)
	}
	fmt.Fprintln(std.Err, "The web player opens in your browser.")
	return cmd.Process.Release() // the browser goes on without us
}

// createClaim asks for a token and approves it with these permissions, so that whoever claims it first, once, gets it.
func createClaim(ctx context.Context, p *client.Player, permissions []string) (id string, err error) {
	if !slices.Contains(permissions, "keys") {
		return "", errors.New("this token may not approve others")
	}
	asked, err := p.PairFor(ctx, tabTokenLifetime, "Web player", "read")
	if err != nil {
		return "", err
	}
	_, err = p.ApprovePair(ctx, asked.Code, permissions...)
	return asked.ID, err
}

// browser is the command that opens an address in the browser of this desktop.
func browser() ([]string, error) {
	switch runtime.GOOS {
	case "darwin":
		return []string{"open"}, nil
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}, nil
	}
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return nil, errors.New("there is no desktop here")
	}
	path, err := exec.LookPath("xdg-open")
	if err != nil {
		return nil, errors.New("xdg-open is not installed")
	}
	return []string{path}, nil
}
