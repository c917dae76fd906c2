package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"waxwing/client"
	"waxwing/internal/access"
	"waxwing/internal/app"
	"waxwing/internal/audit"
)

type tokenCmd struct {
	Create tokenCreate `cmd:"" help:"Create a token and print its secret on standard output."`
	List   tokenList   `cmd:"" help:"List tokens, without their secrets."`
	Revoke tokenRevoke `cmd:"" help:"Revoke a token immediately."`
}

// openTokens opens the token store of a data folder. A running server notices changes in it.
func openTokens(dir app.DataDir, std IO) (*access.Store, error) {
	if err := dir.Create(); err != nil {
		return nil, err
	}
	return access.Open(dir.File(app.TokensFile), slog.New(slog.NewTextHandler(std.Err, nil)))
}

type tokenCreate struct {
	commonSettings
	auditSettings
	Name       string        `name:"name" required:"" help:"Name of the token."`
	Permission []string      `name:"permission" required:"" placeholder:"read|write|keys|streams" help:"Permission to grant, repeatable: read, write (control playback), keys (tokens, pairings, catalog keys), streams (play URLs of the web). None implies another."`
	Expires    time.Duration `name:"expires" placeholder:"DURATION" help:"Lifetime, for example 720h (default: unlimited)."`
	Origin     string        `name:"origin" placeholder:"URL" help:"Allow the token only from pages of this web origin."`
}

func (c *tokenCreate) Run(ctx context.Context, std IO) error {
	permissions, err := access.ParsePermissions(c.Permission)
	if err != nil {
		return usage("%v", err)
	}
	if c.Expires < 0 {
		return usage("--expires must be positive")
	}
	store, err := openTokens(c.DataDir, std)
	if err != nil {
		return err
	}
	t, secret, err := store.Create(ctx, access.NewToken{Name: c.Name, Permissions: permissions, Origin: c.Origin,
		Lifetime: c.Expires})
	if err != nil {
		return err
	}
	c.record(c.DataDir, std, audit.TokenCreated, t.ID, t.Name)
	fmt.Fprintf(std.Err, "Token %s “%s” has the permissions %s%s. Save the secret below; it is not printed again.\n",
		t.ID, plain(t.Name), strings.Join(t.Permissions.Words(), ", "), until(t))
	_, err = fmt.Fprintln(std.Out, secret)
	return err
}

func until(t access.Token) string {
	switch {
	case t.EndsAt().IsZero():
		return ""
	case t.IdleSeconds > 0:
		return " until " + t.EndsAt().Local().Format(time.DateTime) + " if not used"
	}
	return " until " + t.ExpiresAt.Local().Format(time.DateTime)
}

type tokenList struct {
	commonSettings
	All  bool `name:"all" help:"List revoked and expired tokens, too."`
	JSON bool `name:"json" help:"Print JSON."`
}

// tokenView is a token as list --json prints it: no hash, unknown times as null.
type tokenView struct {
	ID          string             `json:"id"`
	Name        string             `json:"name"`
	Permissions access.Permissions `json:"permissions"`
	Origin      *string            `json:"origin"`
	CreatedAt   *time.Time         `json:"created_at"`
	ExpiresAt   *time.Time         `json:"expires_at"`
	IdleSeconds *int               `json:"idle_expires_in"`
	LastUsedAt  *time.Time         `json:"last_used_at"`
	RevokedAt   *time.Time         `json:"revoked_at"`
}

func (c *tokenList) Run(std IO) error {
	store, err := openTokens(c.DataDir, std)
	if err != nil {
		return err
	}
	tokens, err := store.List()
	if err != nil {
		return err
	}
	if !c.All {
		tokens = slices.DeleteFunc(tokens, func(t access.Token) bool { return !t.Live(time.Now()) })
	}
	if c.JSON {
		views := []tokenView{}
		for _, t := range tokens {
			views = append(views, tokenView{t.ID, t.Name, t.Permissions, nilIfZero(t.Origin), nilIfZero(t.CreatedAt),
				nilIfZero(t.ExpiresAt), nilIfZero(t.IdleSeconds), nilIfZero(t.LastUsedAt), nilIfZero(t.RevokedAt)})
		}
		return printJSON(std.Out, views)
	}
	return printTokens(std.Out, tokens, time.Now())
}

// nilIfZero is nil for a zero value.
func nilIfZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func printTokens(w io.Writer, tokens []access.Token, now time.Time) error {
	t := newTable(w, "ID", "NAME", "PERMISSIONS", "STATE", "CREATED", "LAST USED", "ORIGIN")
	for _, tok := range tokens {
		state := "live"
		switch {
		case !tok.RevokedAt.IsZero():
			state = "revoked"
		case !tok.Live(now):
			state = "expired"
		case !tok.EndsAt().IsZero():
			state = "live" + until(tok)
		}
		t.row(tok.ID, tok.Name, tok.Permissions.String(), state, day(tok.CreatedAt), day(tok.LastUsedAt), tok.Origin)
	}
	return t.flush()
}

func day(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Local().Format("2006-01-02 15:04")
}

type tokenRevoke struct {
	commonSettings
	auditSettings
	Token string `arg:"" complete:"tokens" help:"Id or name of the token."`
}

func (c *tokenRevoke) Run(ctx context.Context, std IO) error {
	store, err := openTokens(c.DataDir, std)
	if err != nil {
		return err
	}
	t, err := store.Revoke(ctx, c.Token)
	if err != nil {
		err = revokeInServer(ctx, c.DataDir, err, func(ctx context.Context, p *client.Player) error {
			return p.RevokeToken(ctx, t.ID)
		})
	}
	if err != nil {
		return err
	}
	c.record(c.DataDir, std, audit.TokenRevoked, t.ID, t.Name)
	_, err = fmt.Fprintf(std.Err, "Token %s “%s” is revoked; a running player denies it within a second.\n", t.ID,
		plain(t.Name))
	return err
}
