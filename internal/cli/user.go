package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"

	"waxwing/internal/app"
	"waxwing/internal/art"
	"waxwing/internal/catalog"
)

type userCmd struct {
	Create userCreate `cmd:"" help:"Make a user."`
	List   userList   `cmd:"" help:"List users."`
	Rename userRename `cmd:"" help:"Change the display name of a user."`
	Avatar userAvatar `cmd:"" help:"Set the picture of a user."`
	Use    userUse    `cmd:"" help:"Switch the active user."`
}

type userCreate struct {
	catalogAccess
	Username string `arg:"" help:"Letters a-z, digits, dots and dashes."`
	Name     string `name:"name" help:"Display name (default: the username)."`
	Bio      string `name:"bio" help:"Short text about the user."`
}

func (c *userCreate) Run(ctx context.Context, std IO) error {
	return c.with(ctx, std, func(store *catalog.Store) error {
		u, err := store.CreateUser(ctx, catalog.NewUser{Username: c.Username, Name: cmp.Or(c.Name, c.Username), Bio: c.Bio})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(std.Out, u.ID)
		return err
	})
}

type userList struct {
	catalogAccess
	JSON bool `name:"json" help:"Print JSON."`
}

// userView is a user as list --json prints it.
type userView struct {
	ID        string `json:"id"`
	Username  string `json:"username"`
	Name      string `json:"name"`
	Playlists int64  `json:"playlist_count"`
	Active    bool   `json:"active"`
}

func (c *userList) Run(ctx context.Context, std IO) error {
	return c.with(ctx, std, func(store *catalog.Store) error {
		users, err := store.Users(ctx)
		if err != nil {
			return err
		}
		active, err := store.ActiveUser(ctx)
		if err != nil {
			return err
		}
		views := []userView{}
		for _, u := range users {
			views = append(views, userView{u.ID, u.Username, u.Name, u.PlaylistCount, u.ID == active.ID})
		}
		if c.JSON {
			return printJSON(std.Out, views)
		}
		t := newTable(std.Out, "", "USERNAME", "NAME", "PUBLIC PLAYLISTS", "ID")
		for _, u := range views {
			mark := ""
			if u.Active {
				mark = "*"
			}
			t.row(mark, u.Username, u.Name, strconv.FormatInt(u.Playlists, 10), u.ID)
		}
		return t.flush()
	})
}

type userRename struct {
	catalogAccess
	Username string `arg:"" help:"Username."`
	Name     string `arg:"" help:"New display name. The username does not change, because links contain it."`
}

func (c *userRename) Run(ctx context.Context, std IO) error {
	return c.with(ctx, std, func(store *catalog.Store) error {
		_, err := store.ChangeUser(ctx, c.Username, catalog.UserChange{Name: &c.Name})
		return err
	})
}

type userAvatar struct {
	catalogAccess
	Username string `arg:"" help:"Username."`
	Picture  string `arg:"" type:"existingfile" help:"A JPEG, PNG, GIF or WebP file."`
}

func (c *userAvatar) Run(ctx context.Context, std IO) error {
	return c.with(ctx, std, func(store *catalog.Store) error {
		f, err := os.Open(c.Picture)
		if err != nil {
			return fmt.Errorf("open the picture: %w", err)
		}
		defer func() { _ = f.Close() }() // only read
		picture, err := io.ReadAll(io.LimitReader(f, art.MaxBytes+1))
		if err != nil {
			return fmt.Errorf("read the picture: %w", err)
		}
		covers, err := art.Open(c.DataDir.File(app.CoversDir), app.CoverQuota, nil)
		if err != nil {
			return err
		}
		hash, err := covers.Save(picture)
		if err != nil {
			return err
		}
		_, err = store.ChangeUser(ctx, c.Username,
			catalog.UserChange{Avatar: &catalog.Cover{Hash: hash, Source: catalog.CoverStored}})
		return err
	})
}

type userUse struct {
	catalogAccess
	Username string `arg:"" help:"Username."`
}

func (c *userUse) Run(ctx context.Context, std IO) error {
	return c.with(ctx, std, func(store *catalog.Store) error {
		u, err := store.UseUser(ctx, c.Username)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(std.Err, "%s is the active user now.\n", plain(u.Name))
		return err
	})
}
