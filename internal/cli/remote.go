package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"

	"waxwing/api/playerapi"
	"waxwing/client"
	"waxwing/internal/app"
)

// remote is embedded by commands that use a running player.
type remote struct {
	commonSettings
	PlayerAddr string `name:"player-addr" env:"WAXWING_PLAYER_ADDR" placeholder:"HOST:PORT" help:"Address of the player (default: the one running from this data folder, through its socket)."`
	TokenFile  string `name:"token-file" env:"WAXWING_TOKEN_FILE" placeholder:"FILE" help:"File with the token to use (default: $WAXWING_TOKEN, else the owner's access)."`
}

// player returns a client of the player: through the control socket if the player of the data
// folder is meant, else through a port.
func (r remote) player() (*client.Player, error) {
	secret, given, err := r.token()
	if err != nil {
		return nil, err
	}
	running := r.DataDir.Running()
	if running.Socket && (r.PlayerAddr == "" || sameServer(r.PlayerAddr, running.Player)) {
		p := socketPlayer(r.DataDir)
		if given {
			p.Token = secret
		}
		return p, nil
	}
	addr := cmp.Or(r.PlayerAddr, running.Player, strings.TrimPrefix(client.DefaultPlayerURL, "http://"))
	return portPlayer(addr, secret, !given || r.PlayerAddr == ""), nil
}

// sameServer reports whether a configured address is that of the running player, which announces
// the address at which this machine reaches it.
func sameServer(configured, running string) bool {
	host, port, err := net.SplitHostPort(configured)
	runningHost, runningPort, runningErr := net.SplitHostPort(running)
	if err != nil || runningErr != nil || port != runningPort && port != "0" {
		return false
	}
	ip := net.ParseIP(host)
	return host == runningHost || host == "" || strings.EqualFold(host, "localhost") || ip != nil && ip.IsUnspecified()
}

// token returns the token to use and whether the user gave it. Without any, the request still
// reports a player that is not running. No flag takes a secret: others can read command lines.
func (r remote) token() (secret string, given bool, err error) {
	if secret := os.Getenv("WAXWING_TOKEN"); secret != "" && r.TokenFile == "" {
		return secret, true, nil
	}
	text, err := os.ReadFile(cmp.Or(r.TokenFile, r.DataDir.File(app.OwnerTokenFile)))
	switch {
	case errors.Is(err, fs.ErrNotExist) && r.TokenFile == "":
		return "", false, nil
	case err != nil:
		return "", false, fmt.Errorf("read the token: %w", err)
	}
	return strings.TrimSpace(string(text)), r.TokenFile != "", nil
}

// hint adds where a denied token came from, or how to choose one.
func (r remote) hint(err error) error {
	if client.StatusOf(err) != http.StatusUnauthorized {
		return err
	}
	switch {
	case r.TokenFile != "":
		return fmt.Errorf("%w (the token in %s)", err, r.TokenFile)
	case os.Getenv("WAXWING_TOKEN") != "":
		return fmt.Errorf("%w (the token in WAXWING_TOKEN)", err)
	}
	return deniedError{err, fmt.Sprintf("the data folder %s has no valid token of this player; choose the data "+
		"folder of the running player with --data-dir, or a token with --token-file; if its token was revoked, "+
		"restart the player, which creates another", r.DataDir)}
}

// deniedError replaces the message of an API error.
type deniedError struct {
	error
	sentence string
}

func (r deniedError) Error() string { return r.sentence }
func (r deniedError) Unwrap() error { return r.error }

// controlCmd is embedded by commands that control the player and then print the current track.
type controlCmd struct {
	remote
	JSON bool `name:"json" help:"Print JSON."`
}

// control runs f and then prints the current track.
func (s controlCmd) control(ctx context.Context, std IO, f func(*client.Player) error) error {
	p, err := s.player()
	if err != nil {
		return err
	}
	if err := f(p); err != nil {
		return s.hint(err)
	}
	return show(ctx, std, p, s.JSON)
}

type playCmd struct {
	controlCmd
	selection
}

func (c *playCmd) Run(ctx context.Context, std IO) error {
	if !c.empty() {
		if err := c.check(); err != nil {
			return err
		}
	}
	return c.control(ctx, std, func(p *client.Player) error {
		if c.empty() {
			_, err := p.Play(ctx)
			return err
		}
		if c.isURL() {
			_, err := p.AddURL(ctx, playerapi.AddURLRequest{URL: c.Words[0], Play: new(true)})
			return err
		}
		what, err := c.resolve(ctx, std, p, "play")
		switch {
		case err != nil:
			return err
		case len(what.songs) == 1:
			return p.PlayTrack(ctx, what.songs[0])
		}
		return p.Replace(ctx, what.replacement(true))
	})
}

type pauseCmd struct{ controlCmd }

func (c *pauseCmd) Run(ctx context.Context, std IO) error {
	return c.control(ctx, std, func(p *client.Player) error { return p.Pause(ctx) })
}

type toggleCmd struct{ controlCmd }

func (c *toggleCmd) Run(ctx context.Context, std IO) error {
	return c.control(ctx, std, func(p *client.Player) error { _, err := p.Toggle(ctx); return err })
}

type nextCmd struct{ controlCmd }

func (c *nextCmd) Run(ctx context.Context, std IO) error {
	return c.control(ctx, std, func(p *client.Player) error { return p.Next(ctx) })
}

type previousCmd struct{ controlCmd }

func (c *previousCmd) Run(ctx context.Context, std IO) error {
	return c.control(ctx, std, func(p *client.Player) error { return p.Previous(ctx) })
}
