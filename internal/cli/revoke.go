package cli

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"waxwing/client"
	"waxwing/internal/app"
	"waxwing/internal/fault"
)

// revokeInServer asks the running server to revoke a credential after cause: the command could not
// save the revocation, for instance because the disk is full. The server refuses the credential at
// once and saves that when it can; until then the result is an error that says so.
func revokeInServer(
	ctx context.Context, dir app.DataDir, cause error, revoke func(context.Context, *client.Player) error,
) error {
	if kind, _ := fault.Of(cause); kind != fault.Unavailable {
		return cause
	}
	p, err := remote{commonSettings: commonSettings{DataDir: dir}}.player()
	if err != nil {
		return cause
	}
	err = revoke(ctx, p)
	var reply *client.Error
	if err == nil || errors.As(err, &reply) && reply.Status == http.StatusServiceUnavailable &&
		strings.Contains(reply.Message, "is refused from now on") {
		return err
	}
	return cause
}

// keysOf returns a client for the keys of the catalog behind a player.
func keysOf(p *client.Player) *client.Catalog {
	return &client.Catalog{BaseURL: p.BaseURL, HTTP: p.HTTP}
}
