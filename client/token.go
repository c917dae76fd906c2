package client

import (
	"context"

	"waxwing/api/playerapi"
)

// OwnToken returns the token in use, with its permissions.
func (p *Player) OwnToken(ctx context.Context) (playerapi.Token, error) {
	out, err := get[playerapi.TokenReply](ctx, p.transport(), "/token")
	return out.Token, err
}

// Tokens lists the valid tokens, without their secrets.
func (p *Player) Tokens(ctx context.Context) ([]playerapi.Token, error) {
	out, err := get[playerapi.TokenList](ctx, p.transport(), "/tokens")
	return out.Tokens, err
}

// CreateToken creates a token with at most the permissions of the one in use. Only this reply has
// the secret.
func (p *Player) CreateToken(ctx context.Context, n playerapi.TokenRequest) (playerapi.TokenWithSecret, error) {
	return post[playerapi.TokenWithSecret](ctx, p.transport(), "/tokens", n)
}

// EndToken revokes the token in use.
func (p *Player) EndToken(ctx context.Context) error {
	own, err := p.OwnToken(ctx)
	if err != nil {
		return err
	}
	return p.command(ctx, "/token/revoke", playerapi.TokenRevoke{ID: own.ID})
}

// RevokeToken revokes a token by its id.
func (p *Player) RevokeToken(ctx context.Context, id string) error {
	return p.command(ctx, "/tokens/revoke", playerapi.TokenRevoke{ID: id})
}
