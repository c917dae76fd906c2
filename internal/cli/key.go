package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/audit"
	"waxwing/internal/catalog"
)

type keyCmd struct {
	Create keyCreate `cmd:"" help:"Make a key; the secret alone goes to standard output."`
	List   keyList   `cmd:"" help:"List keys, without their secrets."`
	Revoke keyRevoke `cmd:"" help:"End a key at once."`
	Rotate keyRotate `cmd:"" help:"Give a key a new secret; the old one ends at once."`
}

type keyCreate struct {
	catalogAccess
	auditSettings
	Name       string        `name:"name" required:"" help:"What the key is for, for people."`
	Permission []string      `name:"permission" default:"read" placeholder:"read|write|keys" help:"What it may do (repeatable): read, write (plays, playlists), keys (make and end keys). None includes another."`
	User       string        `name:"user" placeholder:"NAME" help:"Whose key it is (default: the active user)."`
	Expires    time.Duration `name:"expires" placeholder:"DURATION" help:"How long it lives, for example 720h (default: until it is revoked)."`
	Rate       float64       `name:"rate" placeholder:"N" help:"Requests a second (default: the server's)."`
	Burst      int           `name:"burst" placeholder:"N" help:"Requests at once (default: the server's)."`
}

func (c *keyCreate) Run(ctx context.Context, std IO) error {
	permissions, err := access.ParsePermissions(c.Permission)
	if err != nil {
		return usage("%v", err)
	}
	name, err := access.CleanName(c.Name)
	if err != nil {
		return usage("--name: %v", err)
	}
	if c.Expires < 0 || c.Rate < 0 || c.Burst < 0 {
		return usage("--expires, --rate and --burst must not be negative")
	}
	return c.with(ctx, std, func(store *catalog.Store) error {
		secret, hash := access.Mint(access.KeyPrefix)
		n := catalog.NewKey{Name: name, Hash: hash.String(), Owner: c.User, Permissions: permissions.Words(), Rate: c.Rate, Burst: c.Burst}
		if c.Expires > 0 {
			n.ExpiresAt = time.Now().Add(c.Expires)
		}
		key, err := store.CreateKey(ctx, n)
		if err != nil {
			return err
		}
		c.record(c.DataDir, std, audit.KeyCreated, key.ID, key.Name)
		fmt.Fprintf(std.Err, "Key %s “%s” of %s may %s. Keep the secret below: it is shown this once.\n",
			key.ID, plain(key.Name), key.Owner.Username, strings.Join(key.Permissions, " and "))
		_, err = fmt.Fprintln(std.Out, secret)
		return err
	})
}

type keyList struct {
	catalogAccess
	JSON bool `name:"json" help:"Print JSON."`
}

// keyView is a key as list --json prints it.
type keyView struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	User        string     `json:"user"`
	Permissions []string   `json:"permissions"`
	CreatedAt   *time.Time `json:"created_at"`
	ExpiresAt   *time.Time `json:"expires_at"`
	LastUsedAt  *time.Time `json:"last_used_at"`
	RevokedAt   *time.Time `json:"revoked_at"`
}

func (c *keyList) Run(ctx context.Context, std IO) error {
	return c.with(ctx, std, func(store *catalog.Store) error {
		keys, err := store.Keys(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			views := []keyView{}
			for _, k := range keys {
				views = append(views, keyView{k.ID, k.Name, k.Owner.Username, k.Permissions, nilIfZero(k.CreatedAt), nilIfZero(k.ExpiresAt), nilIfZero(k.LastUsedAt), nilIfZero(k.RevokedAt)})
			}
			return printJSON(std.Out, views)
		}
		t := newTable(std.Out, "ID", "NAME", "USER", "MAY", "STATE", "CREATED", "LAST USED")
		for _, k := range keys {
			state := "live"
			switch {
			case !k.RevokedAt.IsZero():
				state = "revoked"
			case !k.Live(time.Now()):
				state = "expired"
			}
			t.row(k.ID, k.Name, k.Owner.Username, strings.Join(k.Permissions, ", "), state, day(k.CreatedAt), day(k.LastUsedAt))
		}
		return t.flush()
	})
}

type keyRevoke struct {
	catalogAccess
	auditSettings
	Key string `arg:"" help:"Id or name of the key."`
}

func (c *keyRevoke) Run(ctx context.Context, std IO) error {
	return c.with(ctx, std, func(store *catalog.Store) error {
		key, err := store.FindKey(ctx, c.Key)
		if err != nil {
			return err
		}
		if err := store.RevokeKey(ctx, key.ID); err != nil {
			return err
		}
		c.record(c.DataDir, std, audit.KeyRevoked, key.ID, key.Name)
		_, err = fmt.Fprintf(std.Err, "Key %s “%s” is revoked; running servers refuse it within a second.\n", key.ID, plain(key.Name))
		return err
	})
}

type keyRotate struct {
	catalogAccess
	auditSettings
	Key string `arg:"" help:"Id or name of the key."`
}

func (c *keyRotate) Run(ctx context.Context, std IO) error {
	return c.with(ctx, std, func(store *catalog.Store) error {
		key, err := store.FindKey(ctx, c.Key)
		if err != nil {
			return err
		}
		secret, hash := access.Mint(access.KeyPrefix)
		if err := store.RotateKey(ctx, key.ID, hash.String()); err != nil {
			return err
		}
		c.record(c.DataDir, std, audit.KeyRotated, key.ID, key.Name)
		fmt.Fprintf(std.Err, "Key %s “%s” has a new secret; the old one ends within a second. It is shown this once.\n", key.ID, plain(key.Name))
		_, err = fmt.Fprintln(std.Out, secret)
		return err
	})
}
