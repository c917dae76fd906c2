package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"waxwing/client"
	"waxwing/internal/access"
	"waxwing/internal/app"
	"waxwing/internal/audit"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

type keyCmd struct {
	Create keyCreate `cmd:"" help:"Create a key and print its secret on standard output."`
	List   keyList   `cmd:"" help:"List keys, without their secrets."`
	Revoke keyRevoke `cmd:"" help:"Revoke a key immediately."`
	Rotate keyRotate `cmd:"" help:"Replace the secret of a key; the old one is revoked immediately."`
}

type keyCreate struct {
	catalogAccess
	auditSettings
	Name       string        `name:"name" xor:"name" help:"Name of the key. Either --name or --app is required."`
	App        string        `name:"app" xor:"name" placeholder:"NAME" help:"Create the key of an app that speaks the Subsonic API, with this name. It is accepted at /rest of the catalog only."`
	Permission []string      `name:"permission" placeholder:"read|write|keys" help:"Permission to grant, repeatable: read, write (plays, playlists), keys (create and revoke keys). None implies another (default: read; with --app: read and write)."`
	User       string        `name:"user" placeholder:"NAME" help:"Owner of the key (default: the active user)."`
	Expires    time.Duration `name:"expires" placeholder:"DURATION" help:"Lifetime, for example 720h (default: unlimited)."`
	Rate       float64       `name:"rate" placeholder:"N" help:"Limit of requests a second (default: the server's)."`
	Burst      int           `name:"burst" placeholder:"N" help:"Limit of requests at once (default: the server's)."`
}

func (c *keyCreate) Run(ctx context.Context, std IO) error {
	if c.Name == "" && c.App == "" {
		return usage("a key needs a name: add --name NAME, or --app NAME for an app that speaks the Subsonic API")
	}
	isApp, flag := c.App != "", "--name"
	if isApp {
		c.Name, flag = c.App, "--app"
	}
	switch {
	case len(c.Permission) > 0:
	case isApp:
		c.Permission = []string{"read", "write"}
	default:
		c.Permission = []string{"read"}
	}
	permissions, err := access.ParseKeyPermissions(c.Permission)
	if err != nil {
		return usage("%v", err)
	}
	name, err := access.CleanName(c.Name)
	if err != nil {
		return usage("%s: %v", flag, err)
	}
	if c.Expires < 0 || c.Rate < 0 || c.Burst < 0 {
		return usage("--expires, --rate and --burst must not be negative")
	}
	return c.with(ctx, std, func(store *catalog.Store) error {
		secret, hash, state := access.MintKey(isApp)
		n := catalog.NewKey{Name: name, Hash: hash, Owner: c.User, Permissions: permissions.Words(), Rate: c.Rate,
			Burst: c.Burst, AppState: state}
		if c.Expires > 0 {
			n.ExpiresAt = time.Now().Add(c.Expires)
		}
		key, err := store.CreateKey(ctx, n)
		if err != nil {
			return err
		}
		c.record(c.DataDir, std, audit.KeyCreated, key.ID, key.Name)
		fmt.Fprintf(std.Err, "Key %s “%s” of %s has the permissions %s. Save the secret below; it is not printed again.\n",
			key.ID, plain(key.Name), key.Owner.Username, strings.Join(key.Permissions, ", "))
		if isApp {
			fmt.Fprintf(std.Err, "In the app, enter the address of the catalog, the user name %s, and the secret as the "+
				"password or API key.\n", key.Owner.Username)
		}
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
	App         bool       `json:"app"`
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
				views = append(views, keyView{k.ID, k.Name, k.Owner.Username, k.Permissions, k.App, nilIfZero(k.CreatedAt),
					nilIfZero(k.ExpiresAt), nilIfZero(k.LastUsedAt), nilIfZero(k.RevokedAt)})
			}
			return printJSON(std.Out, views)
		}
		t := newTable(std.Out, "ID", "NAME", "KIND", "USER", "PERMISSIONS", "STATE", "CREATED", "LAST USED")
		for _, k := range keys {
			state := "live"
			switch {
			case !k.RevokedAt.IsZero():
				state = "revoked"
			case !k.Live(time.Now()):
				state = "expired"
			}
			kind := "key"
			if k.App {
				kind = "app"
			}
			t.row(k.ID, k.Name, kind, k.Owner.Username, strings.Join(k.Permissions, ", "), state, day(k.CreatedAt),
				day(k.LastUsedAt))
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
		if err := c.refuseKeyInUse(ctx, store, key); err != nil {
			return err
		}
		if err := store.RevokeKey(ctx, key.ID); err != nil {
			err = revokeInServer(ctx, c.DataDir, err, func(ctx context.Context, p *client.Player) error {
				return keysOf(p).RevokeKey(ctx, key.ID)
			})
			if err != nil {
				return err
			}
		}
		c.record(c.DataDir, std, audit.KeyRevoked, key.ID, key.Name)
		_, err = fmt.Fprintf(std.Err, "Key %s “%s” is revoked; running servers deny it within a second.\n", key.ID,
			plain(key.Name))
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
		if err := c.refuseKeyInUse(ctx, store, key); err != nil {
			return err
		}
		secret, hash, state := access.MintKey(key.App)
		if err := store.RotateKey(ctx, key.ID, hash, state); err != nil {
			return err
		}
		c.record(c.DataDir, std, audit.KeyRotated, key.ID, key.Name)
		fmt.Fprintf(std.Err, "Key %s “%s” has a new secret; the old one is denied within a second. Save the secret "+
			"below; it is not printed again.\n", key.ID, plain(key.Name))
		_, err = fmt.Fprintln(std.Out, secret)
		return err
	})
}

// refuseKeyInUse refuses to change the key that the running player of this data folder uses:
// playback would fail until the next start.
func (c catalogAccess) refuseKeyInUse(ctx context.Context, store *catalog.Store, key catalog.Key) error {
	stored, err := os.ReadFile(c.DataDir.File(app.PlayerKeyFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the player's key: %w", err)
	}
	secret := strings.TrimSpace(string(stored))
	inUse, err := store.KeyByHash(ctx, access.HashOf(secret).String())
	if kind, _ := fault.Of(err); kind == fault.Unauthenticated {
		return nil // revoked already
	}
	if err != nil || inUse.ID != key.ID {
		return err
	}
	unlock, err := c.DataDir.Lock("player")
	if kind, _ := fault.Of(err); kind == fault.Conflict {
		return fault.New(fault.Conflict, "the running player uses the key %s “%s”; stop it first, and it creates a new key "+
			"when it starts again", key.ID, plain(key.Name))
	}
	if err != nil {
		return err
	}
	unlock()
	return nil
}
