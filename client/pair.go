package client

import (
	"context"
	"net/http"
	"time"

	"waxwing/api/playerapi"
)

// Pair requests a token. Show the code, then call ClaimPair with the id until the request ends.
func (p *Player) Pair(ctx context.Context, name string, permissions ...string) (playerapi.PairReply, error) {
	return post[playerapi.PairReply](
		ctx,
		p.transport(),
		"/pair",
		playerapi.PairRequest{Name: name, Permissions: permissions},
	)
}

// PairFor is Pair for a token that expires.
func (p *Player) PairFor(
	ctx context.Context,
	lifetime time.Duration,
	name string,
	permissions ...string,
) (playerapi.PairReply, error) {
	seconds := int(lifetime / time.Second)
	return post[playerapi.PairReply](
		ctx,
		p.transport(),
		"/pair",
		playerapi.PairRequest{Name: name, Permissions: permissions, ExpiresIn: &seconds},
	)
}

// ClaimPair fetches the token of an approved request; approved is false while the request waits. A
// denied request is an Error with status 409, an expired one with status 404.
func (p *Player) ClaimPair(ctx context.Context, id string) (claimed playerapi.PairClaimed, approved bool, err error) {
	status, err := p.transport().
		call(ctx, http.MethodPost, "/pair/claim", nil, playerapi.PairClaimRequest{ID: id}, &claimed)
	return claimed, status == http.StatusOK, err
}

// Pairs lists the apps that wait for approval.
func (p *Player) Pairs(ctx context.Context) ([]playerapi.PairRequested, error) {
	out, err := get[playerapi.PairList](ctx, p.transport(), "/pair")
	return out.Waiting, err
}

// ApprovePair approves the request with this code and grants the given permissions; without any,
// those that the app requested.
func (p *Player) ApprovePair(ctx context.Context, code string, permissions ...string) (playerapi.PairApproved, error) {
	return post[playerapi.PairApproved](
		ctx,
		p.transport(),
		"/pair/approve",
		playerapi.PairApproveRequest{Code: code, Permissions: permissions},
	)
}

// DenyPair denies the request with this code. Another app may send a request at once.
func (p *Player) DenyPair(ctx context.Context, code string) (playerapi.PairDenied, error) {
	return post[playerapi.PairDenied](ctx, p.transport(), "/pair/deny", playerapi.PairDenyRequest{Code: code})
}
