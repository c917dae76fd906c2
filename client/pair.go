package client

import (
	"context"
	"net/http"
	"time"

	"waxwing/api/playerapi"
)

// Pair asks for a token. Show the code, then call ClaimPair with the id until it answers.
func (p *Player) Pair(ctx context.Context, name string, permissions ...string) (playerapi.PairReply, error) {
	return post[playerapi.PairReply](ctx, p.transport(), "/pair", playerapi.PairRequest{Name: name, Permissions: permissions})
}

// PairFor is Pair for a token that ends by itself.
func (p *Player) PairFor(ctx context.Context, lifetime time.Duration, name string, permissions ...string) (playerapi.PairReply, error) {
	seconds := int(lifetime / time.Second)
	return post[playerapi.PairReply](ctx, p.transport(), "/pair", playerapi.PairRequest{Name: name, Permissions: permissions, ExpiresIn: &seconds})
}

// ClaimPair fetches the token of a request that was approved; approved is false while it waits. One that was
// denied is an Error with the status 409; one whose minute is over, with 404.
func (p *Player) ClaimPair(ctx context.Context, id string) (claimed playerapi.PairClaimed, approved bool, err error) {
	status, err := p.transport().call(ctx, http.MethodPost, "/pair/claim", nil, playerapi.PairClaimRequest{ID: id}, &claimed)
	return claimed, status == http.StatusOK, err
}

// Pairs lists the apps that wait for approval.
func (p *Player) Pairs(ctx context.Context) ([]playerapi.PairRequested, error) {
	out, err := get[playerapi.PairList](ctx, p.transport(), "/pair")
	return out.Waiting, err
}

// ApprovePair lets the app that shows this code have its token, with the permissions named here or,
// if there are none, with those it asked for.
func (p *Player) ApprovePair(ctx context.Context, code string, permissions ...string) (playerapi.PairApproved, error) {
	return post[playerapi.PairApproved](ctx, p.transport(), "/pair/approve", playerapi.PairApproveRequest{Code: code, Permissions: permissions})
}

// DenyPair ends the request of the app that shows this code; another app may ask at once.
func (p *Player) DenyPair(ctx context.Context, code string) (playerapi.PairDenied, error) {
	return post[playerapi.PairDenied](ctx, p.transport(), "/pair/deny", playerapi.PairDenyRequest{Code: code})
}
