package client

import (
	"context"
	"net/http"
	"net/url"
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

// Invite creates a request that is approved already: its id can be claimed once, within a minute.
// Lifetime 0 is that of the token in use.
func (p *Player) Invite(
	ctx context.Context, name string, lifetime time.Duration, permissions ...string,
) (playerapi.PairInvited, error) {
	in := playerapi.PairInviteRequest{Name: name, Permissions: permissions}
	if seconds := int(lifetime / time.Second); seconds > 0 {
		in.ExpiresIn = &seconds
	}
	return post[playerapi.PairInvited](ctx, p.transport(), "/pair/invite", in)
}

// InviteDevice is Invite for a login of a device, which lasts until the device was not used for the
// time idle.
func (p *Player) InviteDevice(
	ctx context.Context, name string, idle time.Duration, permissions ...string,
) (playerapi.PairInvited, error) {
	seconds := int(idle / time.Second)
	in := playerapi.PairInviteRequest{Name: name, Permissions: permissions, IdleExpiresIn: &seconds}
	return post[playerapi.PairInvited](ctx, p.transport(), "/pair/invite", in)
}

// InvitePhone creates an invitation for a phone in the network of the player, as a link and as a QR
// code. An Error with status 409 says that only the machine of the player reaches it.
func (p *Player) InvitePhone(ctx context.Context) (playerapi.PairPhone, error) {
	return post[playerapi.PairPhone](ctx, p.transport(), "/pair/phone", nil)
}

// CancelPair ends a request, because the app no longer waits.
func (p *Player) CancelPair(ctx context.Context, id string) error {
	return p.command(ctx, "/pair/cancel", playerapi.PairCancelRequest{ID: id})
}

// Invitation returns whether an invitation was used. An expired one is an Error with status 404.
func (p *Player) Invitation(ctx context.Context, request string) (playerapi.PairInvitation, error) {
	return get[playerapi.PairInvitation](ctx, p.transport(), "/pair/invite/"+url.PathEscape(request))
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
