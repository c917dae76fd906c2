package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"waxwing/api/playerapi"
	"waxwing/client"
)

type openCmd struct {
	remote
	Tab   bool `name:"tab" help:"Give access to one tab for 12 hours, instead of signing in the browser."`
	Phone bool `name:"phone" help:"Print a QR code that signs in a phone of the same network, instead of opening a browser."`
	Print bool `name:"print" help:"Print the link, which contains a token, without opening a browser."`
}

const (
	// tabTokenLifetime is the lifetime of the token of one tab.
	tabTokenLifetime = 12 * time.Hour
	// deviceIdleTime is after which time without use the login of a browser expires.
	deviceIdleTime = 30 * 24 * time.Hour
	// openTime is how long the browser may take to load the page.
	openTime = 25 * time.Second
	// openHint is when the command says what to do if the page does not appear.
	openHint = 8 * time.Second
)

// Run starts the browser with a private file that leads to the web player, and removes the file
// when the page has its token. The command line of the browser, which every account of the machine
// can read, contains only the path of that file.
func (c *openCmd) Run(ctx context.Context, std IO) error {
	p, err := c.player()
	if err != nil {
		return err
	}
	if c.Phone {
		return c.phone(ctx, std, p)
	}
	own, err := p.OwnToken(ctx)
	if err != nil {
		return c.hint(err)
	}
	base, token, err := c.link(p)
	if err != nil {
		return err
	}
	open, err := findBrowser()
	if err != nil && !c.Print {
		fmt.Fprintf(std.Err, "No browser was opened: %v. Open the link yourself, and keep it secret: it can control the "+
			"player.\n", err)
	}
	if err != nil || c.Print {
		if _, err := fmt.Fprintf(std.Out, "%s/#token=%s\n", base, token); err != nil {
			return fmt.Errorf("print the link: %w", err)
		}
		return nil
	}
	invitation, err := c.invite(ctx, p, own)
	if err != nil {
		return fmt.Errorf("cannot create a token for the browser: %w; to open the page yourself, run: waxwing open --print",
			err)
	}
	if err := c.DataDir.Create(); err != nil {
		return err
	}
	page, err := writeOpenPage(open.folder(ctx, string(c.DataDir)), base+c.fragment(invitation.ID))
	if err != nil {
		return err
	}
	defer page.remove()
	fmt.Fprintln(std.Err, "Opening the web player in your browser.")
	return waitForPage(ctx, std, p, invitation.Request, open.start(page.path))
}

// link returns the address of the web player and the token for it. The control socket has neither.
func (r remote) link(p *client.Player) (base, token string, err error) {
	if p.Token != "" && p.BaseURL != socketURL {
		return p.BaseURL, p.Token, nil
	}
	token, _, err = r.token()
	return "http://" + r.DataDir.Running().Player, token, err
}

// fragment leads the page to its token.
func (c *openCmd) fragment(claim string) string {
	if c.Tab {
		return "/#claim=" + claim + "&tab=1"
	}
	return "/#claim=" + claim
}

// invite requests a token for the browser that has the permissions of own and expires no later.
func (c *openCmd) invite(ctx context.Context, p *client.Player, own playerapi.Token) (playerapi.PairInvited, error) {
	if !slices.Contains(own.Permissions, "keys") {
		return playerapi.PairInvited{}, errors.New("this token lacks the permission keys")
	}
	if !c.Tab {
		return p.InviteDevice(ctx, "Web player", deviceIdleTime, own.Permissions...)
	}
	lifetime := tabTokenLifetime
	if own.ExpiresAt != nil && time.Until(own.ExpiresAt.Time) < lifetime {
		lifetime = 0 // expires with own
	}
	return p.Invite(ctx, "Web player", lifetime, own.Permissions...)
}

// waitForPage waits until the page has claimed its token. failed reports that the browser cannot
// be started.
func waitForPage(ctx context.Context, std IO, p *client.Player, request string, failed <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	hint := time.After(openHint)
	poll := time.NewTicker(100 * time.Millisecond)
	defer poll.Stop()
	for {
		select {
		case err := <-failed:
			return fmt.Errorf("%w; to open the page yourself, run: waxwing open --print", err)
		case <-hint:
			fmt.Fprintln(std.Err, "The browser has not loaded the page yet. If it cannot read the file, press Ctrl+C and run: "+
				"waxwing open --print")
		case <-poll.C:
			if state, err := p.Invitation(ctx, request); err == nil && state.Claimed {
				return nil
			}
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return fmt.Errorf("the browser did not load the page within %v; to open it yourself, run: waxwing open --print",
					openTime)
			}
			return ctx.Err()
		}
	}
}
