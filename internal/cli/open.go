package cli

import (
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
	Print bool `name:"print" help:"Print the link without opening a browser."`
}

// tabTokenLifetime is the lifetime of the token that the browser claims.
const tabTokenLifetime = 7 * 24 * time.Hour

// Run prints a link with the token in its fragment, which browsers do not send. The browser is
// started with another link, with an approved pairing request that can be used once, because every
// account of the machine can read the command lines of processes.
func (c *openCmd) Run(ctx context.Context, std IO) error {
	p, err := c.player()
	if err != nil {
		return err
	}
	own, err := p.OwnToken(ctx)
	if err != nil {
		return c.hint(err)
	}
	base, token, err := c.link(p)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(std.Out, "%s/#token=%s\n", base, token); err != nil {
		return fmt.Errorf("print the link: %w", err)
	}
	if c.Print {
		return nil
	}
	open, err := browser()
	if err != nil {
		fmt.Fprintf(std.Err, "No browser was opened: %v. Open the link yourself, and keep it secret: it can control the "+
			"player.\n", err)
		return nil
	}
	id, err := createClaim(ctx, p, own.Permissions)
	if err != nil {
		return fmt.Errorf("cannot create a token for the browser: %w; open the link yourself", err)
	}
	cmd := exec.Command(open[0], append(open[1:], base+"/#claim="+id)...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the browser: %w; open the link yourself", err)
	}
	fmt.Fprintln(std.Err, "Opening the web player in your browser.")
	return cmd.Process.Release() // the browser keeps running
}

// link returns the address of the web player and the token for it. The control socket has neither.
func (r remote) link(p *client.Player) (base, token string, err error) {
	if p.Token != "" && p.BaseURL != socketURL {
		return p.BaseURL, p.Token, nil
	}
	token, _, err = r.token()
	return "http://" + r.DataDir.Running().Player, token, err
}

// createClaim requests a token and approves the request, so that its id can be exchanged for the
// token once.
func createClaim(ctx context.Context, p *client.Player, permissions []string) (id string, err error) {
	if !slices.Contains(permissions, "keys") {
		return "", errors.New("this token lacks the permission keys")
	}
	request, err := p.PairFor(ctx, tabTokenLifetime, "Web player", "read")
	if err != nil {
		return "", err
	}
	_, err = p.ApprovePair(ctx, request.Code, permissions...)
	return request.ID, err
}

// browser returns the command that opens a URL on this desktop.
func browser() ([]string, error) {
	switch runtime.GOOS {
	case "darwin":
		return []string{"open"}, nil
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}, nil
	}
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return nil, errors.New("no desktop session was found")
	}
	path, err := exec.LookPath("xdg-open")
	if err != nil {
		return nil, errors.New("xdg-open is not installed")
	}
	return []string{path}, nil
}
