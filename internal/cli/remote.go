package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"

	"waxwing/client"
	"waxwing/internal/app"
)

// remote is embedded by commands that use a running player.
type remote struct {
	commonSettings
	PlayerAddr string `name:"player-addr" env:"WAXWING_PLAYER_ADDR" placeholder:"HOST:PORT" help:"Address of the player (default: the one running from this data folder, else 127.0.0.1:7833)."`
	TokenFile  string `name:"token-file" env:"WAXWING_TOKEN_FILE" placeholder:"FILE" help:"File with the token to use (default: $WAXWING_TOKEN, else the owner's from the data folder)."`
}

// player returns a client of the player.
func (r remote) player() (*client.Player, error) {
	p := &client.Player{Token: os.Getenv("WAXWING_TOKEN")} // no flag takes a secret: others can read command lines
	if addr := cmp.Or(r.PlayerAddr, r.DataDir.PlayerAddr()); addr != "" {
		p.BaseURL = "http://" + addr
	}
	if p.Token == "" || r.TokenFile != "" {
		secret, err := os.ReadFile(cmp.Or(r.TokenFile, r.DataDir.File(app.OwnerTokenFile)))
		switch {
		case errors.Is(err, fs.ErrNotExist) && r.TokenFile == "":
			return p, nil // without a token, the request still reports a player that is not running
		case err != nil:
			return nil, fmt.Errorf("read the token: %w", err)
		}
		p.Token = strings.TrimSpace(string(secret))
	}
	return p, nil
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
		"folder of the running player with --data-dir, or a token with --token-file", r.DataDir)}
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
	Track string `arg:"" optional:"" help:"Id of the track to play (default: resume or start playback)."`
}

func (c *playCmd) Run(ctx context.Context, std IO) error {
	return c.control(ctx, std, func(p *client.Player) error {
		if c.Track != "" {
			return p.PlayTrack(ctx, c.Track)
		}
		_, err := p.Play(ctx)
		return err
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
