package playerhttp

import (
	"context"
	"net/http"
	"time"

	"waxwing/api/playerapi"
	"waxwing/api/timestamp"
	"waxwing/internal/access"
	"waxwing/internal/audit"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

func (s *server) pair(r *http.Request, in playerapi.PairRequest) (playerapi.PairReply, error) {
	wanted, err := parsePairing(in.Name, in.Permissions, in.ExpiresIn, in.IdleExpiresIn)
	if err != nil {
		return playerapi.PairReply{}, err
	}
	if wanted.permissions&(access.Keys|access.Streams) != 0 {
		return playerapi.PairReply{}, fault.New(fault.Invalid,
			"an app cannot request keys or streams; the person who approves it can grant them")
	}
	if in.PollWithin != nil {
		if *in.PollWithin < 2 || *in.PollWithin > int(pairTime/time.Second) {
			return playerapi.PairReply{}, fault.New(fault.Invalid, "poll_within must be 2 to %d seconds", pairTime/time.Second)
		}
		wanted.pollWithin = time.Duration(*in.PollWithin) * time.Second
	}
	wanted.source = sourceOf(r)
	req, err := s.pairing.request(wanted, time.Now())
	if err == nil {
		httpkit.RecordEvent(r.Context(), audit.PairingRequested, "", req.name)
	}
	return playerapi.PairReply{ID: req.id, Code: req.code, ExpiresAt: timestamp.At(req.expires)}, err
}

// parsePairing checks what a request or an invitation asks for.
func parsePairing(name string, permissions []string, expiresIn, idle *int) (req pairRequest, err error) {
	if req.name, err = access.CleanName(name); err != nil {
		return req, err
	}
	if req.permissions, err = access.ParsePermissions(permissions); err != nil {
		return req, err
	}
	if req.lifetime, err = access.ParseLifetime(expiresIn); err != nil {
		return req, err
	}
	req.idle, err = access.ParseIdle(idle)
	return req, err
}

func (s *server) pairList(*http.Request, httpkit.None) (playerapi.PairList, error) {
	return wirePairs(s.pairing.list(time.Now())), nil
}

func wirePairs(requests []pairRequest) playerapi.PairList {
	out := playerapi.PairList{Waiting: []playerapi.PairRequested{}}
	for _, req := range requests {
		out.Waiting = append(out.Waiting, playerapi.PairRequested{
			Name: req.name, Code: req.code, Permissions: req.permissions.Words(), ExpiresAt: timestamp.At(req.expires),
			Request: req.request,
		})
	}
	return out
}

func (s *server) pairApprove(r *http.Request, in playerapi.PairApproveRequest) (playerapi.PairApproved, error) {
	caller, err := accessManager(r)
	if err != nil {
		return playerapi.PairApproved{}, err
	}
	var grant access.Permissions
	if len(in.Permissions) > 0 {
		if grant, err = access.ParsePermissions(in.Permissions); err != nil {
			return playerapi.PairApproved{}, err
		}
	}
	now := time.Now()
	req, err := s.pairing.approve(selectorOf(in.Code, in.Request), grant, caller.Context, caller.Limit(), now)
	if err == nil {
		httpkit.RecordEvent(r.Context(), audit.PairingApproved, "", req.name)
	}
	return playerapi.PairApproved{
		OK: true, Name: req.name, Permissions: req.permissions.Words(), ExpiresAt: timestamp.Known(req.tokenExpiry(now)),
	}, err
}

func selectorOf(code string, request *string) selector {
	if request == nil {
		return selector{code: code}
	}
	return selector{code: code, request: *request}
}

func (s *server) pairDeny(r *http.Request, in playerapi.PairDenyRequest) (playerapi.PairDenied, error) {
	if _, err := accessManager(r); err != nil {
		return playerapi.PairDenied{}, err
	}
	req, err := s.pairing.deny(selectorOf(in.Code, in.Request), time.Now())
	if err == nil {
		httpkit.RecordEvent(r.Context(), audit.PairingDenied, "", req.name)
	}
	return playerapi.PairDenied{OK: true, Name: req.name}, err
}

// pairInvite creates a request that is approved already. The id can be given to an app or a page
// that must not see the caller's token.
func (s *server) pairInvite(r *http.Request, in playerapi.PairInviteRequest) (playerapi.PairInvited, error) {
	caller, err := accessManager(r)
	if err != nil {
		return playerapi.PairInvited{}, err
	}
	granted, err := parsePairing(in.Name, in.Permissions, in.ExpiresIn, in.IdleExpiresIn)
	if err != nil {
		return playerapi.PairInvited{}, err
	}
	now := time.Now()
	if _, err := caller.Limit().Grant(granted.permissions, granted.lifetime, now); err != nil {
		return playerapi.PairInvited{}, err
	}
	granted.approver, granted.limit = caller.Context, caller.Limit()
	req := s.pairing.invite(granted, now)
	httpkit.RecordEvent(r.Context(), audit.PairingApproved, "", req.name)
	return playerapi.PairInvited{ID: req.id, Request: req.request, ExpiresAt: timestamp.At(req.expires)}, nil
}

func (s *server) pairInvitation(r *http.Request, _ httpkit.None) (playerapi.PairInvitation, error) {
	if _, err := accessManager(r); err != nil {
		return playerapi.PairInvitation{}, err
	}
	req, err := s.pairing.claimed(r.PathValue("request"), time.Now())
	return playerapi.PairInvitation{Claimed: req.state == pairClaimed, ExpiresAt: timestamp.At(req.expires)}, err
}

func (s *server) pairClaim(r *http.Request, in playerapi.PairClaimRequest) (status int, out any, err error) {
	var created access.Token
	var name string
	if in.Name != nil {
		if name, err = access.CleanName(*in.Name); err != nil {
			return 0, nil, err
		}
	}
	req, secret, ready, err := s.pairing.claim(in.ID, name, time.Now(), func(req pairRequest) (secret string, err error) {
		created, secret, err = s.createPaired(context.WithoutCancel(r.Context()), req)
		return secret, err
	})
	if !ready {
		return http.StatusAccepted, playerapi.PairWaiting{Status: "waiting", ExpiresAt: timestamp.At(req.expires)}, err
	}
	return http.StatusOK, playerapi.PairClaimed{
		Token: secret, Name: req.name, Permissions: req.permissions.Words(), ExpiresAt: timestamp.Known(created.ExpiresAt),
	}, nil
}

// pairCancel ends the request of an app that no longer waits.
func (s *server) pairCancel(r *http.Request, in playerapi.PairCancelRequest) (playerapi.OK, error) {
	req, err := s.pairing.cancel(in.ID, time.Now())
	if err == nil {
		httpkit.RecordEvent(r.Context(), audit.PairingCancelled, "", req.name)
	}
	return playerapi.OK{OK: err == nil}, err
}

// createPaired creates the token of an approved request, unless the token that approved it has
// ended since. ctx is not cancelled if the client disconnects now.
func (s *server) createPaired(ctx context.Context, req pairRequest) (access.Token, string, error) {
	now := time.Now()
	if req.approver != nil && req.approver.Err() != nil {
		return access.Token{}, "", fault.New(fault.NotFound,
			"the token that approved this request has expired or was revoked; start again in the app")
	}
	created, secret, err := s.cfg.Tokens.Create(ctx, access.NewToken{
		Name: req.name, Permissions: req.permissions, ExpiresAt: req.tokenExpiry(now),
		Idle: req.limit.CutIdle(req.idle),
	})
	if err == nil {
		httpkit.RecordEvent(ctx, audit.PairingClaimed, created.ID, created.Name)
	}
	return created, secret, err
}
