package client

import (
	"context"

	"waxwing/api/playerapi"
)

// OwnToken returns what is known about the token in use: above all, what it may do.
func (p *Player) OwnToken(ctx context.Context) (playerapi.Token, error) {
	out, err := get[playerapi.TokenReply](ctx, p.transport(), "/token")
	return out.Token, err
}

// Tokens lists the live tokens, without their secrets.
func (p *Player) Tokens(ctx context.Context) ([]playerapi.Token, error) {
	out, err := get[playerapi.TokenList](ctx, p.transport(), "/tokens")
	return out.Tokens, err
}

// CreateToken makes a token that holds no more than the one in use. The secret is in the
// reply, this once.
func (p *Player) CreateToken(ctx context.Context, n playerapi.TokenRequest) (playerapi.TokenMade, error) {
	return post[playerapi.TokenMade](ctx, p.transport(), "/tokens", n)
}

// RevokeToken ends a token by its id.
func (p *Player) RevokeToken(ctx context.Context, id string) error {
	return p.command(ctx, "/tokens/revoke", playerapi.TokenRevoke{ID: id})
}
